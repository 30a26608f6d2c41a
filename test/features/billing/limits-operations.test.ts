import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { TOOLS } from "../../../src/doors/mcp/tools.ts";
import { undoActivityRoute } from "../../../src/features/activity/routes.ts";
import { createApiKeyRoute } from "../../../src/features/api-keys/routes.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import { beginUploadRoute, completeUploadRoute } from "../../../src/features/files/upload-routes.ts";
import { createFolderRoute, updateFolderRoute } from "../../../src/features/folders/routes.ts";
import { continueImportRoute, importAccountRoute } from "../../../src/features/import/routes.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { renameProjectRoute } from "../../../src/features/projects/routes.ts";
import { actOnReminderRoute } from "../../../src/features/reminders/routes.ts";
import { renameTagRoute } from "../../../src/features/tags/routes.ts";
import { keepFindingRoute, lookRoute } from "../../../src/features/tidy/routes.ts";
import { type Client, person } from "../../kit/client.ts";
import { numberOf } from "../../kit/ctx.ts";
import { withLimits } from "../../kit/database.ts";
import { type Offered, OPERATIONS } from "../../kit/description.ts";
import { exampleOf, isPublic } from "../../kit/examples.ts";
import { stateless, use } from "../../kit/mcp.ts";
import { belongings, EXAMPLE_EMAIL } from "../../kit/named.ts";
import { rulesOf } from "../../kit/operations.ts";
import { reminderTokenOf } from "../../kit/reminder-token.ts";
import { png, sendFile, upload, webp } from "../../kit/stored-files.ts";

// What an operation or tool states that it adds is what it adds: it is refused where the account is full of just that, and
// possible where it is full of everything else. A new one that adds something fails until it is called here.

/** What there is in an account before it is full. */
async function fill(ada: Client) {
  const json = { title: "Plan", content: { format: "markdown", text: "One" }, tags: ["travel"] };
  const long = { format: "markdown", text: "A longer text than the one before it" };
  const { id } = await ada.ok(documents.createDocumentRoute, { json: { ...json, content: long } });
  const document = { document_id: id };
  await ada.ok(documents.updateDocumentRoute, { params: document, json: { content: json.content } });
  const gone = { document_id: (await ada.ok(documents.createDocumentRoute, { json })).id };
  await ada.call(documents.deleteDocumentRoute, { params: gone });
  const record = {
    memory_type: "commitment",
    topic: "Slides",
    content: "For Grace and for Alan",
    project: "P",
  };
  const { id: number } = await ada.ok(memories.createMemoryRoute, { json: record });
  const memory = { memory_id: String(number) };
  await ada.ok(memories.updateMemoryRoute, { params: memory, json: { content: "For Grace" } });
  const again = { ...record, topic: "Rent", repeat: "FREQ=MONTHLY" };
  const series = { memory_id: String((await ada.ok(memories.createMemoryRoute, { json: again })).id) };
  const lost = { memory_id: String((await ada.ok(memories.createMemoryRoute, { json: record })).id) };
  await ada.call(memories.deleteMemoryRoute, { params: lost });
  const folder = { folder_id: (await ada.ok(createFolderRoute, { json: { name: "F" } })).id };
  const picture = { file_id: (await upload(ada)).id };
  const begun = { upload_id: (await ada.ok(beginUploadRoute, { json: { name: "talk.mp4", bytes: 5 } })).id };
  await ada.fetch(`/api/files/${begun.upload_id}/parts/1`, { method: "PUT", body: "Bytes" });
  const file = await (await ada.fetch("/api/export")).text();
  return { document, gone, memory, series, lost, folder, picture, begun, file, number };
}
type Filled = Awaited<ReturnType<typeof fill>>;

const NDJSON = { "Content-Type": "application/x-ndjson" };
const LONG = { format: "markdown", text: "Much longer than what was there before it, by far and away" };
const RECORD = { memory_type: "commitment", topic: "Another", content: "For Alan" };

type Act = (full: Client, filled: Filled) => Promise<{ text: string }>;

/** What adds to an account, called at a full one: the answer has to say so. */
const LIMITED: Record<string, Act> = {
  createDocument: (full) => full.call(documents.createDocumentRoute, { json: { title: "New" } }),
  bulkDocuments: (full) =>
    full.call(documents.bulkDocumentsRoute, {
      json: { operations: [{ operation: "create", title: "New" }] },
    }),
  updateDocument: (full, { document }) =>
    full.call(documents.updateDocumentRoute, { params: document, json: { content: LONG } }),
  editDocument: (full, { document }) =>
    full.call(documents.editDocumentRoute, { params: document, json: { operation: "append", text: "More" } }),
  restoreDocument: (full, { gone }) => full.call(documents.restoreDocumentRoute, { params: gone }),
  restoreVersion: (full, { document }) =>
    full.call(documents.restoreVersionRoute, { params: { ...document, version: "1" } }),
  createFolder: (full) => full.call(createFolderRoute, { json: { name: "New" } }),
  updateFolder: (full, { folder }) =>
    full.call(updateFolderRoute, { params: folder, json: { name: "A longer name" } }),
  uploadFile: async (full) => ({ text: await (await sendFile(full, png())).text() }),
  storeThumbnail: async (full, { picture }) => {
    const sent = { method: "PUT", body: webp(), headers: { "Content-Type": "image/webp" } };
    return { text: await (await full.fetch(`/api/files/${picture.file_id}/thumbnails/320`, sent)).text() };
  },
  beginUpload: (full) => full.call(beginUploadRoute, { json: { name: "talk.mp4", bytes: 5 } }),
  completeUpload: (full, { begun }) => full.call(completeUploadRoute, { params: begun }),
  createMemory: (full) => full.call(memories.createMemoryRoute, { json: RECORD }),
  changeMemories: (full) =>
    full.call(memories.changeMemoriesRoute, { json: { operations: [{ operation: "create", ...RECORD }] } }),
  updateMemory: (full, { memory }) =>
    full.call(memories.updateMemoryRoute, { params: memory, json: { content: LONG.text } }),
  supersedeMemory: (full, { memory }) =>
    full.call(memories.supersedeMemoryRoute, { params: memory, json: { content: "For Alan" } }),
  restoreMemory: (full, { lost }) => full.call(memories.restoreMemoryRoute, { params: lost }),
  restoreMemoryVersion: (full, { memory }) =>
    full.call(memories.restoreMemoryVersionRoute, { params: { ...memory, version: "1" } }),
  resolveMemory: (full, { series }) =>
    full.call(memories.resolveMemoryRoute, { params: series, json: { resolution_note: "Sent" } }),
  actOnReminder: async (full, { series }) => {
    const reminder_token = await reminderTokenOf(full, Number(series.memory_id));
    return full.call(actOnReminderRoute, { json: { reminder_token, action: "done" } });
  },
  skipMemory: (full, { series }) => full.call(memories.skipMemoryRoute, { params: series, json: {} }),
  deferMemory: (full, { memory }) =>
    full.call(memories.deferMemoryRoute, { params: memory, json: { note: "Later" } }),
  archiveMemory: (full, { memory }) =>
    full.call(memories.archiveMemoryRoute, { params: memory, json: { note: "No" } }),
  renameTag: (full) =>
    full.call(renameTagRoute, { params: { name: "travel" }, json: { name: "all my travels" } }),
  renameProject: (full) =>
    full.call(renameProjectRoute, { params: { name: "P" }, json: { name: "Project" } }),
  keepFinding: async (full, { number }) => {
    await full.ok(lookRoute);
    const items = [{ type: "memory", id: String(number) }];
    return full.call(keepFindingRoute, { json: { kind: "one_word_topic", items } });
  },
  importAccount: (full, { file }) =>
    full.call(importAccountRoute, { headers: NDJSON, body: file, query: { mode: "copy" } }),
  continueImport: async (full, { file }) => {
    const [first, size] = [file.indexOf("\n") + 1, file.length];
    const part = (from: number, to: number) => ({
      headers: { ...NDJSON, "Content-Range": `bytes ${from}-${to - 1}/${size}` },
      body: file.slice(from, to),
    });
    const begun = await full.ok(importAccountRoute, { ...part(0, first), query: { mode: "copy" } });
    return full.call(continueImportRoute, { ...part(first, size), params: { import_id: begun.id } });
  },
  undoActivity: async (full) =>
    full.call(undoActivityRoute, { json: { ids: await changesOf(full, "deleted", "changed") } }),
  createApiKey: (full) => full.call(createApiKeyRoute, { json: { name: "Script", scopes: ["docs:read"] } }),
};

/** The numbers of an account's changes of these kinds. */
async function changesOf(client: Client, ...verbs: string[]): Promise<number[]> {
  const { items } = (await (await client.fetch("/api/activity")).json()) as {
    items: { id: number; verb: string }[];
  };
  return items.filter(({ verb }) => verbs.includes(verb)).map(({ id }) => id);
}

const FULL = { documents: 0, records: 0, bytes: 1, api_keys: 0, connections: 0 };
const TEXT = /the free plan\b.*: .*, or choose a larger plan in Settings/;
type Name = keyof typeof FULL;

/** An account that is full in this way, or in every way but those. */
const fullIn = (names: readonly Name[]) => Object.fromEntries(names.map((name) => [name, FULL[name]]));
const others = (names: readonly string[]) =>
  fullIn((Object.keys(FULL) as Name[]).filter((name) => !names.includes(name)));

/** What an account has. `history` is what a record's earlier states take up. */
async function usedBy(owner: number): Promise<Record<string, number>> {
  const used = env.DB.prepare(
    `SELECT documents, records, bytes, (SELECT count(*) FROM api_keys WHERE api_keys.owner = usage.owner) AS api_keys
    FROM usage WHERE owner = ?`,
  ).bind(owner);
  return (await used.first<Record<string, number>>()) ?? {};
}

const WRITING = OPERATIONS.filter(({ method }) => method !== "GET");
const addsOf = ({ route }: Offered) => rulesOf(route).adds ?? [];
const LISTS = WRITING.flatMap((offered) => {
  const adds = addsOf(offered);
  const { operationId } = offered.operation;
  return adds === "history" ? [] : adds.map((name): [string, Name] => [operationId, name as Name]);
});

test("what is limited here is what states that it adds something", () => {
  expect(Object.keys(LIMITED).sort()).toEqual([...new Set(LISTS.map(([name]) => name))].sort());
});

test.for(LISTS)(
  "%s is refused at an account that is full of %s, and changes nothing",
  async ([name, limit]) => {
    const ada = await person();
    const owner = await numberOf(ada);
    const filled = await fill(ada);
    const before = await usedBy(owner);
    // A file that is larger than what the plan could hold is not even received.
    const full = {
      ...fullIn([limit]),
      ...(/import/i.test(name) && limit === "bytes" && { bytes: before.bytes ?? 0 }),
    };
    const { text } = (await LIMITED[name]?.(withLimits(ada, full), filled)) ?? {};
    expect(text).toMatch(TEXT);
    // Of several things, only those are refused for which there is no room.
    expect((await usedBy(owner))[limit]).toBe(before[limit]);
  },
);

test.for(Object.entries(LIMITED))("%s is not refused for what it does not add", async ([name, act]) => {
  const ada = await person();
  const filled = await fill(ada);
  const adds = LISTS.flatMap(([each, limit]) => (each === name ? [limit] : []));
  expect((await act(withLimits(ada, others(adds)), filled)).text).not.toMatch(TEXT);
});

const FREE = WRITING.filter((each) => !(each.operation.operationId in LIMITED) && !isPublic(each)).map(
  (offered) => [offered.operation.operationId, offered] as const,
);

test.for(FREE)("%s is possible at a full account, and adds nothing", async ([, offered]) => {
  const ada = await person({ email: EXAMPLE_EMAIL });
  const owner = await numberOf(ada);
  const parts = await exampleOf(offered, belongings(ada), false);
  const before = await usedBy(owner);
  const { text } = await withLimits(ada, FULL).call(offered.route, parts);
  expect(text).not.toMatch(TEXT);
  for (const [limit, used] of Object.entries(await usedBy(owner))) {
    const isHistory = limit === "bytes" && addsOf(offered) === "history";
    if (!isHistory) expect(used, limit).toBeLessThanOrEqual(before[limit] ?? 0);
  }
});

type Uses = Record<string, (filled: Filled) => Record<string, unknown>>;

const OF_TOOLS: Uses = {
  create_document: () => ({ title: "New", text: "Text" }),
  edit_document: ({ document }) => ({ id: document.document_id, operation: "append", text: "More" }),
  restore: ({ gone }) => ({ id: `doc:${gone.document_id}` }),
  remember: () => RECORD,
  update_memory: ({ number }) => ({ ids: [number], content: LONG.text }),
  close_memories: ({ number }) => ({ ids: [number], outcome: "resolved", note: "Sent by mail" }),
};

test("every tool that states that it adds something keeps the limits", async () => {
  const adding = TOOLS.filter(({ adds }) => adds.length > 0).map(({ name }) => name);
  expect(adding.sort()).toEqual([...Object.keys(OF_TOOLS), "undo_changes"].sort());
  for (const [name, inputOf] of Object.entries(OF_TOOLS)) {
    const ada = await person();
    const owner = await numberOf(ada);
    const filled = await fill(ada);
    const before = await usedBy(owner);
    const answer = await use(stateless(withLimits(ada, FULL)), name, inputOf(filled));
    expect(JSON.stringify(answer), name).toMatch(TEXT);
    expect(await usedBy(owner), name).toEqual(before);
  }
});

test("delete_document, which states that it adds nothing, is possible at a full account", async () => {
  const ada = await person();
  const { document } = await fill(ada);
  const full = stateless(withLimits(ada, FULL));
  expect(JSON.stringify(await use(full, "delete_document", { id: document.document_id }))).not.toMatch(TEXT);
});

test("undo_changes says for each change that the account is full", async () => {
  const ada = await person();
  const made = await use(stateless(ada), "create_document", { title: "New", text: "Text" });
  await use(stateless(ada), "delete_document", { id: made.id });
  const full = withLimits(ada, FULL);
  const undone = await use(stateless(full), "undo_changes", { ids: await changesOf(ada, "deleted") });
  expect(JSON.stringify(undone)).toMatch(TEXT);
});
