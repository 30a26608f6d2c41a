import { env } from "cloudflare:workers";
import type { RouteConfig } from "@hono/zod-openapi";
import { expect, test } from "vitest";
import { addDays } from "../../src/contract/days.ts";
import { getMeRoute } from "../../src/features/auth/routes.ts";
import * as documents from "../../src/features/documents/routes.ts";
import { retagStep } from "../../src/features/documents/tag-store.ts";
import { deleteFolderStep } from "../../src/features/folders/delete-store.ts";
import * as folders from "../../src/features/folders/routes.ts";
import { listActive } from "../../src/features/memories/active-store.ts";
import { listTypedAlerts } from "../../src/features/memories/alert-store.ts";
import { listClosed } from "../../src/features/memories/closed-store.ts";
import { listMemories } from "../../src/features/memories/list-store.ts";
import * as memories from "../../src/features/memories/routes.ts";
import { listTagsRoute } from "../../src/features/tags/routes.ts";
import type { Ctx } from "../../src/platform/core/ctx.ts";
import { openDatabase } from "../../src/platform/db/call.ts";
import { openSession } from "../../src/platform/db/session.ts";
import { logFailedSignIn } from "../../src/platform/security-events/store.ts";
import { type Client, person } from "../kit/client.ts";
import { ctxOf, numberOf } from "../kit/ctx.ts";
import { meteredClient } from "../kit/database.ts";
import { stateless, use } from "../kit/mcp.ts";
import { type Prepared, prepare } from "../kit/memories.ts";

// The rows that a request reads, which is what D1 bills, do not grow with what else there is, of the account or of others.

const RECORD = { memory_type: "decision", topic: "Slides", content: "The slides of the plan" };
const PLAN = { title: "Plan", text: "The same plan as on every other day" };
const MANY = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)";

let made = 0;
/** Adds `count` documents to an account; `columns` and `values` are set besides the title. */
const insertDocuments = (owner: number, count: number, columns = "", values = "") =>
  env.DB.prepare(`${MANY} INSERT INTO documents (id, owner, title, tags, source_type, version, created_at, updated_at,
      changed_at ${columns})
    SELECT lower(hex(randomblob(4))) || '-0000-7000-8000-' || lower(hex(randomblob(6))), ?1, 'Title', '[]', 'api', 1,
      '2026-01-01T00:00:00.000Z', strftime('%Y-%m-%dT%H:%M:%fZ', '2026-01-02', '+' || (i * (1 + i % 2)) || ' seconds'),
      strftime('%Y-%m-%dT%H:%M:%fZ', '2026-01-02', '+' || i || ' seconds') ${values} FROM n`)
    .bind(owner, count)
    .run();

const addDocuments = (owner: number, count: number) =>
  insertDocuments(owner, count, ", open_tasks, done_tasks", ", 0, 0");

const addRecords = async (owner: number, count: number) =>
  prepare(owner, [...Array(count).keys()].map(usualRecord));

const addEvents = async (owner: number, count: number) => {
  for (const event of ["sign_in_failed", "signed_in"])
    await env.DB.prepare(`${MANY} INSERT INTO security_events (id, owner, event, created_at)
        SELECT lower(hex(randomblob(16))), ?1, '${event}', '2026-01-01T00:00:00.000Z' FROM n`)
      .bind(owner, count)
      .run();
};

type Asking = { client: Client; ctx: Ctx };
type Story = {
  /** What the request is about, which is there before the others come; returns an id. */
  about?: (ada: Client) => Promise<unknown>;
  others: (owner: number, count: number, ada: Client) => Promise<unknown>;
  ask: (by: Asking, id: string) => Promise<unknown>;
  /** How many rows more may be read, of a tree that has grown. */
  more?: number;
};

const folderOf = async (ada: Client) =>
  (await ada.ok(folders.createFolderRoute, { json: { name: "All" } })).id;

async function addTo(ada: Client, folder_id: string, count: number): Promise<void> {
  const one = { operation: "create", title: "Note", content: { text: "walrus" }, folder_id, tags: ["todo"] };
  await ada.ok(documents.bulkDocumentsRoute, { json: { operations: Array(count).fill(one) } });
}
const inFolder =
  (count = 30) =>
  async (ada: Client) => {
    const folder_id = await folderOf(ada);
    await addTo(ada, folder_id, count);
    return folder_id;
  };
/** More of the same in the folder. */
const addToFolder =
  (times: number): Story["others"] =>
  async (_, __, ada) => {
    const { items } = await ada.ok(folders.listFoldersRoute);
    for (let n = 0; n < times; n++) await addTo(ada, items[0]?.id ?? "", 100);
  };

type Listed = { shown: number; sorts?: readonly string[]; query?: (id: string) => object };
const DOCUMENT_SORTS = ["updated_at", "changed_at", "created_at", "title"];
const list =
  (route: RouteConfig, { shown, sorts = DOCUMENT_SORTS, query = () => ({}) }: Listed): Story["ask"] =>
  async ({ client }, id) => {
    for (const sort of sorts) {
      const { items } = (await client.ok(route, { query: { sort, ...query(id) } })) as { items: unknown[] };
      expect(items, sort).toHaveLength(shown);
    }
  };
const { listDocumentsRoute } = documents;
const withTasks = (tasks: string, shown: number): Story => ({
  about: async (ada) =>
    void (await insertDocuments(await numberOf(ada), 20, ", open_tasks, done_tasks", ", i % 2, 1")),
  others: addDocuments,
  ask: list(listDocumentsRoute, { shown, query: () => ({ tasks }) }),
});
const savedAgain = (tool: string, args: object): Story => {
  /** A record has another topic each time. */
  const save = (client: Client) =>
    use(stateless(client), tool, tool === "remember" ? { ...args, topic: `Topic ${++made}` } : { ...args });
  const saveOften: Story["others"] = async (_, times, ada) => {
    for (let n = 0; n < times / 25; n++) await save(ada);
  };
  return {
    about: (ada) => saveOften(0, 1000, ada),
    others: saveOften,
    ask: async ({ client }) => expect((await save(client)).similar).toHaveLength(3),
  };
};

const STORIES: Record<string, Story> = {
  "the links of a document": {
    about: async (ada) => {
      const json = { title: "Linked", content: { text: "[[Other]] [[Nothing]]" } };
      const { id } = await ada.ok(documents.createDocumentRoute, { json });
      for (const title of ["Other", "One"])
        await ada.ok(documents.createDocumentRoute, { json: { title, content: { text: "[[Linked]]" } } });
      return id;
    },
    others: addDocuments,
    ask: async ({ client }, document_id) => {
      const { backlink_count } = await client.ok(documents.listDocumentLinksRoute, {
        params: { document_id },
      });
      expect(backlink_count).toBe(2);
    },
  },
  "a document with links": {
    about: (ada) => ada.ok(documents.createDocumentRoute, { json: { title: "Other" } }),
    others: addDocuments,
    ask: async ({ client }) => {
      const json = { title: "New", content: { text: "[[Other]] [[Folder/Nothing]] [x](Note.md)" } };
      await client.ok(documents.createDocumentRoute, { json });
    },
  },
  "the tags": { about: inFolder(), others: addToFolder(1), ask: ({ client }) => client.ok(listTagsRoute) },
  "the folders": {
    about: inFolder(),
    others: addDocuments,
    ask: ({ client }) => client.ok(folders.listFoldersRoute),
  },
  "a page of all documents, in every order": {
    about: inFolder(),
    others: addDocuments,
    ask: list(listDocumentsRoute, { shown: 20 }),
  },
  "a folder's documents, in every order": {
    about: inFolder(),
    others: addDocuments,
    ask: list(listDocumentsRoute, { shown: 20, query: (folder_id) => ({ folder_id }) }),
  },
  "the documents with open tasks": withTasks("open", 10),
  "the documents with tasks": withTasks("any", 20),
  "the records of a document, in every order": {
    about: async (ada) => {
      const { id: document_id } = await ada.ok(documents.createDocumentRoute, { json: { title: "Plan" } });
      for (const topic of ["Slides", "Date", "Vendor"])
        await ada.ok(memories.createMemoryRoute, { json: { ...RECORD, topic, document_id } });
      return document_id;
    },
    others: addRecords,
    ask: list(memories.listMemoriesRoute, {
      ...{ shown: 3, sorts: ["updated_at", "created_at", "due_date"] },
      query: (document_id) => ({ document_id }),
    }),
    more: 3 * 2 * 36,
  },
  "an empty folder that is deleted": {
    others: addDocuments,
    ask: async ({ client }) =>
      client.call(folders.deleteFolderRoute, { params: { folder_id: await folderOf(client) } }),
  },
  "a failed sign-in": {
    others: addEvents,
    ask: async ({ client, ctx }) => logFailedSignIn(ctx, (await client.ok(getMeRoute)).email),
  },
  "a record that is saved again": savedAgain("remember", RECORD),
  "a document that is saved again": savedAgain("create_document", PLAN),
  "a step of renaming a tag": {
    about: inFolder(100),
    others: addToFolder(4),
    ask: ({ ctx }) => retagStep(ctx, { tag: "todo", next: "later" }, () => []),
    more: 40,
  },
  "a step of deleting a folder": {
    about: inFolder(100),
    others: addToFolder(4),
    ask: ({ ctx }, id) => deleteFolderStep(ctx, { id, onContent: "trash" }),
    more: 40,
  },
  "a step of dissolving a folder": {
    about: inFolder(100),
    others: addToFolder(4),
    ask: ({ ctx }, id) => deleteFolderStep(ctx, { id, onContent: "move_up" }),
    more: 40,
  },
};

test.for(Object.entries(STORIES))(
  "whatever else there is: %s",
  async ([, { about, others, ask, more = 20 }]) => {
    const [ada, eve] = [await person(), await person()];
    const owner = await numberOf(ada);
    const id = String(await about?.(ada));
    const base = await ctxOf(ada);
    const costOf = async () => {
      const { client, database, meter } = meteredClient(ada);
      await ask({ client, ctx: { ...base, db: openDatabase(openSession(database)) } }, id);
      return meter;
    };
    const few = await costOf();
    await others(owner, 1000, ada);
    if (others === addDocuments) await addDocuments(await numberOf(eve), 1000);
    const many = await costOf();
    expect(many.calls).toBeLessThanOrEqual(few.calls);
    expect(many.rowsRead).toBeLessThanOrEqual(few.rowsRead + more);
  },
);

test("more than 20 failed sign-ins in an hour are not recorded", async () => {
  const ada = await person();
  const { email } = await ada.ok(getMeRoute);
  const ctx = await ctxOf(ada);
  for (let n = 0; n < 22; n++) await logFailedSignIn(ctx, email);
  const failed = "SELECT count(*) AS n FROM security_events WHERE owner = ? AND event = 'sign_in_failed'";
  expect(await env.DB.prepare(failed).bind(ctx.owner).first("n")).toBe(20);
});

const TYPES = ["commitment", "decision", "blocker", "pattern", "preference", "context"];
const CLOSED = ["resolved", "resolved", "archived", "deferred"] as const;
const RECORDS = 1200;

/** A fifth is active, an eighth of those due; the rest was closed within 300 days, each day four. */
function usualRecord(index: number): Prepared {
  const scope = ([null, "work", "personal"] as const)[index % 3] ?? null;
  const project = index % 5 ? `Project ${index % 7}` : null;
  const memory_type = TYPES[Math.floor(index / 10) % 6] ?? "";
  const created_at = `2026-01-${10 + (index % 20)}T08:00:00.000Z`;
  const record = { memory_type, scope, project, created_at };
  if (index % 10 < 2)
    return { ...record, due_date: index % 40 < 5 ? addDays("2026-11-15", index % 400) : null };
  const closed_at = `${addDays("2026-11-20", -(index % 300))}T08:00:00.000Z`;
  return { ...record, status: CLOSED[index % 4] ?? "resolved", closed_at, updated_at: closed_at };
}

/** How the records differ from those. */
const SPREADS: Record<string, (index: number) => Partial<Prepared>> = {
  "as a person has them": () => ({}),
  "most of them in the trash": (index) =>
    index % 10 === 1 ? {} : { trashed_at: "2026-11-19T08:00:00.000Z" },
  "all active, the project and the type of few": (index) => ({
    ...{ status: "active", due_date: null, updated_at: "2026-02-01T08:00:00.000Z" },
    ...(index < 5
      ? { scope: "work", project: "Project 3", memory_type: "commitment" }
      : { scope: "personal", project: "Other", memory_type: "context" }),
  }),
  "all in one project": () => ({ project: "Project 3" }),
  "all deferred": (index) => ({
    ...{ due_date: null, status: "deferred", deferred_until: index % 2 ? "2027-01-01" : null },
  }),
};
const FILTERS = [
  ...[{}, { scope: "work" }, { project: "Project 3" }, { scope: "work", project: "Project 3" }],
  ...[{ memory_type: ["decision"] }, { scope: "work", memory_type: ["decision"] }],
] as const;

test.for(Object.entries(SPREADS))("lists read what they show or count: %s", async ([, differing]) => {
  const ada = await person();
  const rows = Array.from({ length: RECORDS }, (_, n) => ({ ...usualRecord(n), ...differing(n) }));
  await prepare(await numberOf(ada), rows);
  const base = { ...(await ctxOf(ada)), now: new Date("2026-11-20T12:00:00Z") };
  // Of what is shown, an index entry and the record; then one of each type and scope, and as many counters.
  const expectRows = async <Answer extends { items: unknown[] }>(
    name: string,
    ask: (ctx: Ctx) => Promise<Answer>,
    besides: (answer: Answer) => number = () => 0,
  ) => {
    const { database, meter } = meteredClient(ada);
    const answer = await ask({ ...base, db: openDatabase(openSession(database)) });
    expect(meter.calls).toBe(1);
    expect(meter.rowsRead, name).toBeLessThanOrEqual(2 * answer.items.length + 18 + 18 + 5 + besides(answer));
  };
  const page = { limit: 20, offset: 0 };
  for (const filter of FILTERS) {
    const name = JSON.stringify(filter);
    await expectRows(name, (ctx) => listActive(ctx, filter, page));
    const alerts = { ...filter, project: undefined };
    await expectRows(
      name,
      (ctx) => listTypedAlerts(ctx, alerts, page),
      ({ total }) => total + 18 + 12,
    );
    const recent = ({ items }: { items: unknown[] }) => (items.length > 0 ? RECORDS / 10 + 20 : 0);
    await expectRows(name, (ctx) => listClosed(ctx, { ...filter, ...page }), recent);
  }
  for (const sort of ["updated_at", "created_at", "due_date"] as const) {
    if (sort !== "due_date") await expectRows(sort, (ctx) => listMemories(ctx, { sort, ...page }));
    // What happened since an instant: an index entry and the record for the page and for the count, in any order.
    for (const filter of ["created_after", "updated_after", "resolved_after", "resolved_before"] as const) {
      const query = { sort, [filter]: "2026-11-05T00:00:00.000Z", ...page };
      await expectRows(
        `${filter} by ${sort}`,
        (ctx) => listMemories(ctx, query),
        ({ total }) => 40 + 4 * total,
      );
    }
  }
});
