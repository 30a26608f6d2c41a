import type { RouteConfig } from "@hono/zod-openapi";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Activity } from "../../src/contract/activity.ts";
import { listActivityRoute, undoActivityRoute } from "../../src/features/activity/routes.ts";
import { createApiKeyRoute } from "../../src/features/api-keys/routes.ts";
import * as documents from "../../src/features/documents/routes.ts";
import * as folders from "../../src/features/folders/routes.ts";
import * as memories from "../../src/features/memories/routes.ts";
import { renameProjectRoute } from "../../src/features/projects/routes.ts";
import { deleteTagRoute, renameTagRoute } from "../../src/features/tags/routes.ts";
import { type Client, type Parts, person } from "../kit/client.ts";
import { bearer } from "../kit/oauth.ts";

// What a write answers about its change: exactly what it changed, and exactly that is taken back by it.

const RECORD = {
  memory_type: "commitment",
  topic: "Send the slides",
  content: "To Grace",
  project: "Apollo",
};

/** Sends a write, and returns the name of its change. */
async function idOf(client: Client, route: RouteConfig, parts: Parts): Promise<string | null> {
  const { status, text, headers } = await client.call(route, parts);
  if (status >= 300) throw new Error(`${route.path}: ${status} ${text}`);
  return headers.get("Change-Id");
}

async function allChanges(client: Client): Promise<Activity[]> {
  const changes: Activity[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query: Record<string, string> = { limit: "100", ...(cursor !== "" && { cursor }) };
    const page: { items: Activity[]; next_cursor: string | null } = await client.ok(listActivityRoute, {
      query,
    });
    changes.push(...page.items);
    cursor = page.next_cursor;
  }
  return changes;
}

const undo = (client: Client, change_id: string | null, more = {}) =>
  client.ok(undoActivityRoute, { json: { change_id, ...more } });

test("every write names its change, and the undo of it takes back exactly that", async () => {
  const ada = await person();
  const before = { params: { memory_id: "1" } };
  expect(await idOf(ada, memories.createMemoryRoute, { json: RECORD })).toBe("1");
  const resolved_at = "2026-01-02T00:00:00.000Z";
  const created = { ...RECORD, created_at: "2026-01-01T00:00:00Z" };
  await ada.ok(memories.createMemoryRoute, { json: created });
  const params = { memory_id: "2" };
  const json = { resolution_note: "Sent on Thursday", resolved_at };
  expect(await idOf(ada, memories.resolveMemoryRoute, { params, json })).toBe("3");
  expect(await idOf(ada, memories.resolveMemoryRoute, { params, json })).toBeNull();

  const reopened = await idOf(ada, memories.reopenMemoryRoute, { params });
  expect(await undo(ada, reopened)).toMatchObject({ undone: 1, not_undone: 0 });
  const back = { status: "resolved", resolution_note: "Sent on Thursday", resolved_at };
  expect(await ada.ok(memories.getMemoryRoute, { params })).toMatchObject(back);

  const deferral = { deferred_until: "2090-01-01", note: "After the summer" };
  await ada.ok(memories.deferMemoryRoute, { ...before, json: deferral });
  const archived = await idOf(ada, memories.archiveMemoryRoute, { ...before, json: {} });
  await undo(ada, archived);
  expect(await ada.ok(memories.getMemoryRoute, before)).toMatchObject({ status: "deferred", ...deferral });

  const replaced = await idOf(ada, memories.supersedeMemoryRoute, {
    ...before,
    json: { content: "To Alan" },
  });
  expect(replaced).toMatch(/^\d+-\d+$/);
  expect(await undo(ada, replaced)).toMatchObject({ undone: 2 });
  expect(await ada.ok(memories.getMemoryRoute, before)).toMatchObject({ status: "deferred", ...deferral });
});

test("documents, folders, tags, projects and many at once name their changes as well", async () => {
  const ada = await person();
  const folder = await ada.call(folders.createFolderRoute, { json: { name: "Journeys" } });
  expect(folder.headers.get("Change-Id")).toBe("1");
  const folder_id = folder.body.id;
  const operations = Array.from({ length: 3 }, (_, n) => ({
    ...{ operation: "create", title: `List ${n}`, tags: ["travel"], folder_id },
  }));
  expect(await idOf(ada, documents.bulkDocumentsRoute, { json: { operations } })).toBe("2-4");
  expect(await idOf(ada, renameTagRoute, { params: { name: "travel" }, json: { name: "trip" } })).toBe("5-7");
  expect(await idOf(ada, deleteTagRoute, { params: { name: "trip" } })).toBe("8-10");
  const trashed = await idOf(ada, folders.deleteFolderRoute, {
    params: { folder_id },
    query: { on_content: "trash" },
  });
  expect(trashed).toBe("11-14");
  expect(await undo(ada, trashed)).toMatchObject({ undone: 4 });
  expect((await ada.ok(documents.listDocumentsRoute, { query: { folder_id } })).total).toBe(3);

  const records = { operations: Array.from({ length: 3 }, () => ({ operation: "create", ...RECORD })) };
  expect(await idOf(ada, memories.changeMemoriesRoute, { json: records })).toBe("19-21");
  const renaming = { params: { name: "Apollo" }, json: { name: "Gemini" } };
  expect(await idOf(ada, renameProjectRoute, renaming)).toBe("22-24");

  const first = (await ada.ok(documents.listDocumentsRoute)).items[0]?.id ?? "";
  const one = { params: { document_id: first } };
  expect(await idOf(ada, documents.deleteDocumentRoute, one)).toBe("25");
  expect(await idOf(ada, documents.restoreDocumentRoute, one)).toBe("26");
  expect(await idOf(ada, documents.deleteDocumentRoute, { ...one, query: { permanent: "true" } })).toBeNull();
  expect(await idOf(ada, folders.updateFolderRoute, { params: { folder_id }, json: { name: "Trips" } })).toBe(
    "28",
  );
  expect(
    await idOf(ada, folders.updateFolderRoute, { params: { folder_id }, json: { name: "Trips" } }),
  ).toBeNull();
});

test("a record that links to another changes with it, but its change is not named", async () => {
  const ada = await person();
  await ada.ok(memories.createMemoryRoute, { json: RECORD });
  const params = { memory_id: "1" };
  await ada.ok(memories.supersedeMemoryRoute, { params, json: { content: "To Alan" } });
  const deleted = await idOf(ada, memories.deleteMemoryRoute, { params: { memory_id: "2" } });
  const named = (await allChanges(ada)).filter(({ verb }) => verb === "deleted").map(({ id }) => String(id));
  expect(named).toEqual([deleted]);
});

test("a repetition has the name of the first request's change, and so has the answer to a key that may not read", async () => {
  const ada = await person();
  const headers = { "Idempotency-Key": "k" };
  const twice = async (route: RouteConfig, parts: Parts) => [
    await idOf(ada, route, { headers, ...parts }),
    await idOf(ada, route, { headers, ...parts }),
  ];
  const params = { memory_id: "1" };
  expect(await twice(memories.createMemoryRoute, { json: RECORD })).toEqual(["1", "1"]);
  expect(await twice(memories.supersedeMemoryRoute, { params, json: { content: "x" } })).toEqual([
    "2-3",
    "2-3",
  ]);
  expect(await twice(memories.confirmMemoryRoute, { params: { memory_id: "2" } })).toEqual(["4", "4"]);
  const operations = [
    { operation: "create", ...RECORD },
    { operation: "create", ...RECORD },
  ];
  expect(await twice(memories.changeMemoriesRoute, { json: { operations } })).toEqual(["5-6", "5-6"]);
  expect(await twice(undoActivityRoute, { json: { change_id: "5-6" } })).toEqual(["7-8", "7-8"]);
  const create = { operation: "create", title: "New" };
  expect(await twice(documents.bulkDocumentsRoute, { json: { operations: [create, create] } })).toEqual([
    "9-10",
    "9-10",
  ]);
  expect(await twice(folders.createFolderRoute, { json: { name: "F" } })).toEqual(["11", "11"]);

  const json = { name: "Script", scopes: ["memory:write"] };
  const script = bearer((await ada.ok(createApiKeyRoute, { json })).key);
  const answer = await script.call(memories.confirmMemoryRoute, { params: { memory_id: "2" } });
  expect([answer.status, answer.headers.get("Change-Id")]).toEqual([204, "12"]);
});

test("what conflicts is not undone, and a name is undone a hundred changes at a time", async () => {
  const ada = await person();
  const create = { operation: "create", ...RECORD };
  const many = { operations: Array.from({ length: 100 }, () => create) };
  await idOf(ada, memories.changeMemoriesRoute, { json: many });
  await idOf(ada, memories.changeMemoriesRoute, { json: { operations: [create, create] } });
  const renamed = await idOf(ada, renameProjectRoute, {
    params: { name: "Apollo" },
    json: { name: "Gemini" },
  });
  expect(renamed).toBe("103-204");
  await ada.ok(memories.updateMemoryRoute, { params: { memory_id: "102" }, json: { content: "Since" } });
  const first = await undo(ada, renamed);
  expect(first).toMatchObject({ undone: 99, not_undone: 1, has_more: true, next_before: 105 });
  expect(first.results.filter(({ outcome }) => outcome !== "undone")).toMatchObject([
    { outcome: "changed_since", record_id: "102", current: { content: "Since" } },
  ]);
  expect(await undo(ada, renamed, { before: first.next_before })).toMatchObject({
    undone: 2,
    has_more: false,
  });
});

test.each(["", "0", "1-", "-1", "1,,2", "1;2", "1 2", "a", "1-2-3", "9".repeat(16), `${"1,".repeat(100)}1`])(
  "%j is no name of a change",
  async (change_id) => {
    const ada = await person();
    expect((await ada.call(undoActivityRoute, { json: { change_id } })).status).toBe(422);
  },
);

test("somebody else's name of a change, or a huge one, does nothing to them and little here", async () => {
  const [ada, bob] = [await person(), await person()];
  await bob.ok(memories.createMemoryRoute, { json: RECORD });
  const theirs = await idOf(bob, memories.confirmMemoryRoute, { params: { memory_id: "1" } });
  expect(await undo(ada, theirs)).toMatchObject({ undone: 0, results: [{ outcome: "not_found" }] });
  expect(await undo(ada, "1-999999999999999")).toMatchObject({ undone: 0, not_undone: 100, has_more: true });
  expect((await allChanges(bob)).every(({ undone_by }) => undone_by === null)).toBe(true);
});

test("two undos of one change at the same time take effect once", async () => {
  const ada = await person();
  await ada.ok(memories.createMemoryRoute, { json: RECORD });
  const params = { memory_id: "1" };
  const resolved = await idOf(ada, memories.resolveMemoryRoute, { params, json: {} });
  const answers = await Promise.all(Array.from({ length: 5 }, () => undo(ada, resolved)));
  expect(answers.map(({ undone }) => undone).sort()).toEqual([0, 0, 0, 0, 1]);
  expect((await ada.ok(memories.getMemoryRoute, { params })).status).toBe("active");
  expect(await allChanges(ada)).toHaveLength(3);
});

type Write = { route: RouteConfig; json: object; verbs: string[]; isNew?: boolean };

/** A write of each kind: what it does to a record, or creates. */
const WRITES: Record<string, (id: number) => Write> = {
  record: () => ({ route: memories.createMemoryRoute, json: RECORD, verbs: ["created"], isNew: true }),
  document: () => ({
    ...{ route: documents.createDocumentRoute, json: { title: "T" }, verbs: ["created"], isNew: true },
  }),
  folder: () => ({ route: folders.createFolderRoute, json: { name: "F" }, verbs: ["created"], isNew: true }),
  step: () => ({ route: memories.resolveMemoryRoute, json: {}, verbs: ["resolved"] }),
  supersede: () => ({
    ...{ route: memories.supersedeMemoryRoute, json: { content: "y" }, verbs: ["superseded", "created"] },
  }),
  bulk: (id) => ({
    route: memories.changeMemoriesRoute,
    json: { operations: ["confirm", "archive"].map((operation) => ({ operation, id })) },
    verbs: ["confirmed", "archived"],
  }),
};

const numbersIn = (id: string) =>
  id.split(",").flatMap((part) => {
    const [first = 0, last = first] = part.split("-").map(Number);
    return Array.from({ length: last - first + 1 }, (_, n) => first + n);
  });

test("whatever is written at the same time, each name is of the changes of its own request", async () => {
  const kinds = fc.array(fc.constantFrom(...Object.keys(WRITES)), { minLength: 8, maxLength: 16 });
  await fc.assert(
    fc.asyncProperty(kinds, async (asked) => {
      const ada = await person();
      for (const _ of asked) await ada.ok(memories.createMemoryRoute, { json: RECORD });
      const write = async (kind: string, index: number) => {
        const { route, json, verbs, isNew } = (WRITES[kind] as (id: number) => Write)(index + 1);
        const { headers, text } = await ada.call(route, { params: { memory_id: String(index + 1) }, json });
        const record = isNew ? String((JSON.parse(text) as { id: unknown }).id) : String(index + 1);
        return { numbers: numbersIn(headers.get("Change-Id") ?? ""), record, verbs };
      };
      const answers = await Promise.all(asked.map(write));
      const entries = new Map((await allChanges(ada)).map((one) => [one.id, one]));
      const named = answers.flatMap(({ numbers }) => numbers).sort((a, b) => a - b);
      const others = Array.from(asked, (_, index) => index + 1);
      expect([...others, ...named]).toEqual([...entries.keys()].sort((a, b) => a - b));
      for (const { numbers, record, verbs } of answers) {
        expect(numbers.map((number) => entries.get(number)?.verb)).toEqual(verbs);
        expect(entries.get(numbers[0] ?? 0)?.record_id).toBe(record);
      }
    }),
    { numRuns: 5 },
  );
});
