import { Buffer } from "node:buffer";
import type { RouteConfig } from "@hono/zod-openapi";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { listActivityRoute } from "../../src/features/activity/routes.ts";
import { getMeRoute } from "../../src/features/auth/routes.ts";
import { listChangesRoute } from "../../src/features/changes/routes.ts";
import { listConnectionsRoute } from "../../src/features/connections/routes.ts";
import * as documents from "../../src/features/documents/routes.ts";
import { listFilesRoute } from "../../src/features/files/routes.ts";
import * as memories from "../../src/features/memories/routes.ts";
import { listTrashRoute } from "../../src/features/trash/routes.ts";
import { listDeliveriesRoute, testWebhookRoute } from "../../src/features/webhooks/routes.ts";
import { type Client, person } from "../kit/client.ts";
import { numberOf } from "../kit/ctx.ts";
import { hookOf } from "../kit/hooks.ts";
import { prepare } from "../kit/memories.ts";
import { connect } from "../kit/oauth.ts";
import { operations } from "../kit/operations.ts";
import { upload } from "../kit/stored-files.ts";

// Pages by cursor: every item once, in the order of the list, whatever is written meanwhile.

type Listed = { id: string | number };
type List = (
  query: Record<string, string>,
) => Promise<{ items: Listed[]; total: number; next_cursor?: string }>;

/** The ids of all pages. */
async function byCursor(
  list: List,
  query: Record<string, string>,
  between = async () => {},
): Promise<unknown[]> {
  const found: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page = await list({ limit: "3", ...query, ...(cursor && { cursor }) });
    found.push(...ids(page));
    cursor = page.next_cursor;
    await between();
  } while (cursor !== undefined);
  return found;
}

const ids = ({ items }: { items: Listed[] }) => items.map(({ id }) => id);

async function documentsOf(ada: Client): Promise<List> {
  for (let index = 0; index < 11; index++) {
    const json = { title: `${"aAbB"[index % 4]} note`, created_at: `2026-01-0${1 + (index % 3)}T08:00:00Z` };
    await ada.ok(documents.createDocumentRoute, { json });
  }
  return (query) => ada.ok(documents.listDocumentsRoute, { query });
}

async function memoriesOf(ada: Client): Promise<List> {
  const owner = await numberOf(ada);
  const rows = Array.from({ length: 11 }, (_, index) => ({
    topic: `Of ${owner}`,
    created_at: `2026-01-0${1 + (index % 3)}T08:00:00.000Z`,
    updated_at: `2026-02-0${1 + (index % 2)}T08:00:00.000Z`,
    due_date: index % 3 ? `2027-01-0${1 + (index % 2)}` : null,
  }));
  await prepare(owner, rows);
  return (query) => ada.ok(memories.listMemoriesRoute, { query });
}

async function trashOf(ada: Client): Promise<List> {
  const owner = await numberOf(ada);
  const trashed = Array.from({ length: 5 }, (_, index) => ({
    topic: `Of ${owner}`,
    created_at: "2026-01-01T08:00:00.000Z",
    trashed_at: `2026-02-0${1 + (index % 2)}T08:00:00.000Z`,
  }));
  await prepare(owner, trashed);
  for (let index = 0; index < 6; index++) {
    const { id } = await ada.ok(documents.createDocumentRoute, { json: { title: "Old" } });
    await ada.call(documents.deleteDocumentRoute, { params: { document_id: id } });
  }
  return (query) => ada.ok(listTrashRoute, { query: { type: "all", ...query } });
}

async function connectionsOf(ada: Client, count = 4): Promise<List> {
  const { email } = await ada.ok(getMeRoute);
  for (let index = 0; index < count; index++) await connect(email);
  return (query) => ada.ok(listConnectionsRoute, { query });
}

async function deliveriesOf(ada: Client): Promise<List> {
  const { params } = await hookOf(ada);
  for (let index = 0; index < 7; index++) await ada.ok(testWebhookRoute, { params });
  return (query) => ada.ok(listDeliveriesRoute, { params, query });
}

describe.each([
  ["documents", documentsOf, 11, ["updated_at", "changed_at", "created_at", "title"]],
  ["records", memoriesOf, 11, ["updated_at", "created_at", "due_date"]],
  ["the trash", trashOf, 11, []],
  ["connections", connectionsOf, 4, []],
  ["deliveries", deliveriesOf, 7, []],
] as const)("a list of %s by cursor", (_, listOf, count, sorts) => {
  test("is the list by offset, in every order", async () => {
    const list = await listOf(await person());
    const sorted = sorts.flatMap((sort) => ["asc", "desc"].map((order) => ({ sort, order })));
    for (const query of [{}, ...sorted]) {
      const whole = await list({ ...query, limit: "100" });
      expect(whole.next_cursor).toBeUndefined();
      expect(ids(whole)).toHaveLength(count);
      expect(await byCursor(list, query), JSON.stringify(query)).toEqual(ids(whole));
    }
  });

  test("refuses a cursor with an offset, of another order, and one that it has not returned", async () => {
    const list = await listOf(await person());
    const { next_cursor: cursor = "", total } = await list({ limit: "3" });
    expect([total, (await list({ limit: "3", cursor })).total]).toEqual([count, count]);
    await expect(list({ offset: "3", cursor })).rejects.toThrow(/422.*offset/);
    const others: Record<string, string>[] =
      sorts.length > 0 ? [{ sort: "created_at" }, { order: "asc" }] : [];
    for (const other of others) await expect(list({ ...other, cursor })).rejects.toThrow(/422/);
    for (const none of ["", "x", "bnVsbA", "W10", "e30", "WyJhIiwgWzFdXQ"])
      await expect(list({ cursor: none })).rejects.toThrow(/422.*leave it out to start again/);
  });
});

test("nothing is shown twice or left out while new documents come in", async () => {
  const ada = await person();
  const list = await documentsOf(ada);
  const before = ids(await list({ limit: "100" }));
  const add = async () =>
    void (await ada.ok(documents.createDocumentRoute, { json: { title: "In between" } }));
  expect(await byCursor(list, {}, add)).toEqual(before);
});

test("a cursor that the service has returned is always accepted, whatever the title at its end", async () => {
  const ada = await person();
  const list: List = (query) => ada.ok(documents.listDocumentsRoute, { query });
  const long = ["\u{1f600}".repeat(250), "\u65e5".repeat(500), '"\\'.repeat(250), "\u001f".repeat(500)];
  for (const title of ["\u0001", ...long, "Z"])
    await ada.ok(documents.createDocumentRoute, { json: { title } });
  for (const order of ["asc", "desc"])
    expect(await byCursor(list, { limit: "1", sort: "title", order })).toHaveLength(6);
});

describe("a forged cursor", () => {
  type Asked = { route: RouteConfig; query?: Record<string, string>; params?: Record<string, string> };

  /** An account with something in every list, and the ways to read those. */
  async function owner() {
    const ada = await person();
    for (const fill of [documentsOf, trashOf, memoriesOf]) await fill(ada);
    await connectionsOf(ada, 2);
    const { params } = await hookOf(ada);
    for (let index = 0; index < 3; index++) await ada.ok(testWebhookRoute, { params });
    for (let index = 0; index < 3; index++) await upload(ada);
    const create = (json: object) => ada.ok(documents.createDocumentRoute, { json });
    const { id: document_id } = await create({ title: "Linked" });
    for (const title of ["One", "Other"]) await create({ title, content: { text: "[[Linked]]" } });
    const lists: Asked[] = [
      { route: documents.listDocumentLinksRoute, params: { document_id } },
      { route: documents.listDocumentsRoute },
      { route: documents.listDocumentsRoute, query: { sort: "title" } },
      { route: memories.listMemoriesRoute },
      { route: memories.listMemoriesRoute, query: { sort: "due_date" } },
      { route: listTrashRoute, query: { type: "all" } },
      { route: listConnectionsRoute },
      { route: listDeliveriesRoute, params },
      { route: listActivityRoute },
      { route: listChangesRoute },
      { route: listFilesRoute },
    ];
    return { client: ada, lists };
  }

  const ask = (client: Client, { route, query, params }: Asked, more: Record<string, string>) =>
    client.call(route, { params: params ?? {}, query: { limit: "100", ...query, ...more } });

  /** The cursor of a list's second page. */
  async function cursorOf(client: Client, list: Asked): Promise<string> {
    const page = JSON.parse((await ask(client, list, { limit: "1" })).text);
    return page.next_cursor ?? page.cursor;
  }

  const MARKS = /[0-9a-f]{8}-[0-9a-f-]{27}|"id":"[^"]+"|Of \d+/g;

  /** What identifies an account's records in any answer. */
  async function marksOf(client: Client, lists: Asked[]): Promise<Set<string>> {
    const answers = await Promise.all(lists.map((list) => ask(client, list, {})));
    return new Set(answers.flatMap(({ text }) => text.match(MARKS) ?? []));
  }

  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const decoded = (cursor: string): unknown[] => JSON.parse(Buffer.from(cursor, "base64url").toString());

  const value = fc.oneof(
    fc.jsonValue(),
    fc.string({ unit: "binary" }),
    fc.integer(),
    fc.double(),
    fc.uuid(),
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    fc.constantFrom(null, "", "\0", "\ud800", "9".repeat(400), -1, 2 ** 53, 1e300, "folder", "memory"),
  );

  /** Cursors that come from a real one, and others. */
  const forged = (real: string) =>
    fc.oneof(
      fc.string(),
      fc.base64String(),
      fc
        .tuple(fc.nat(real.length), fc.string())
        .map(([at, text]) => real.slice(0, at) + text + real.slice(at + 1)),
      fc.array(value).map((values) => encoded([decoded(real)[0], ...values])),
      fc.tuple(fc.nat(8), value).map(([at, one]) => {
        const values = decoded(real);
        return encoded(values.with(at % values.length, one));
      }),
    );

  test("never gets a 5xx or anything of another account, in any list that takes one", async () => {
    const [ada, eve] = [await owner(), await owner()];
    const takes = ({ request }: RouteConfig) => Object.hasOwn(Object(request?.query).shape ?? {}, "cursor");
    const names = (routes: RouteConfig[]) => [...new Set(routes.map((route) => route.operationId))].sort();
    expect(names(ada.lists.map(({ route }) => route))).toEqual(names(operations.filter(takes)));
    const foreign = await marksOf(eve.client, eve.lists);
    expect(foreign.size).toBeGreaterThan(30);
    for (const [index, list] of ada.lists.entries()) {
      const check = async (cursor: string) => {
        const { status, text } = await ask(ada.client, list, { cursor });
        expect([200, 410, 422], text).toContain(status);
        expect((text.match(MARKS) ?? []).filter((mark) => foreign.has(mark))).toEqual([]);
      };
      await check(await cursorOf(eve.client, eve.lists[index] as Asked));
      const forging = fc.asyncProperty(forged(await cursorOf(ada.client, list)), check);
      await fc.assert(forging, { numRuns: 15 });
    }
  });
});
