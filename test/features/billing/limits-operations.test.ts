import { expect, test } from "vitest";
import { undoActivityRoute } from "../../../src/activity/routes.ts";
import { createApiKeyRoute } from "../../../src/features/api-keys/routes.ts";
import { getUsageRoute } from "../../../src/features/billing/routes.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import { createFolderRoute, updateFolderRoute } from "../../../src/features/folders/routes.ts";
import { continueImportRoute, importAccountRoute } from "../../../src/features/import/routes.ts";
import { TOOLS } from "../../../src/mcp/tools.ts";
import * as memories from "../../../src/memories/routes.ts";
import { renameProjectRoute } from "../../../src/features/projects/routes.ts";
import { renameTagRoute } from "../../../src/features/tags/routes.ts";
import { type Client, person } from "../../kit/client.ts";
import { withLimits } from "../../kit/database.ts";
import { OPERATIONS } from "../../kit/description.ts";
import { stateless, use } from "../../kit/mcp.ts";

// Every operation and tool that writes either keeps the limits, or is named here with the reason why it need not. A new
// one fails until it is in one of the lists.

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
  const lost = { memory_id: String((await ada.ok(memories.createMemoryRoute, { json: record })).id) };
  await ada.call(memories.deleteMemoryRoute, { params: lost });
  const folder = { folder_id: (await ada.ok(createFolderRoute, { json: { name: "F" } })).id };
  const file = await (await ada.fetch("/api/export")).text();
  return { document, gone, memory, lost, folder, file, number };
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
  resolveMemory: (full, { memory }) =>
    full.call(memories.resolveMemoryRoute, { params: memory, json: { resolution_note: "Sent" } }),
  deferMemory: (full, { memory }) =>
    full.call(memories.deferMemoryRoute, { params: memory, json: { note: "Later" } }),
  archiveMemory: (full, { memory }) =>
    full.call(memories.archiveMemoryRoute, { params: memory, json: { note: "No" } }),
  renameTag: (full) =>
    full.call(renameTagRoute, { params: { name: "travel" }, json: { name: "all my travels" } }),
  renameProject: (full) =>
    full.call(renameProjectRoute, { params: { name: "P" }, json: { name: "Project" } }),
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
  undoActivity: async (full) => full.call(undoActivityRoute, { json: { ids: await deletions(full) } }),
  createApiKey: (full) => full.call(createApiKeyRoute, { json: { name: "Script", scopes: ["docs:read"] } }),
};

/** The numbers of the deletions in an account's activity. */
async function deletions(client: Client): Promise<number[]> {
  const { items } = (await (await client.fetch("/api/activity")).json()) as {
    items: { id: number; verb: string }[];
  };
  return items.filter(({ verb }) => verb === "deleted").map(({ id }) => id);
}

const GIVES_BACK = "it deletes";
const STATUS = "it adds only to the history of a record, which is 50 states long";
const ACCOUNT = "it belongs to the account itself, and is limited by number or by time";
const OUTSIDE = "nobody is signed in, and nothing is stored that a plan counts";

/** What writes without adding to what the plans limit. */
const EXEMPT: Record<string, string> = {
  ...{ deleteDocument: GIVES_BACK, deleteMemory: GIVES_BACK, emptyTrash: GIVES_BACK, deleteTag: GIVES_BACK },
  ...{
    deleteFolder: GIVES_BACK,
    deleteImport: GIVES_BACK,
    revokeApiKey: GIVES_BACK,
    revokeConnection: GIVES_BACK,
  },
  ...{ reopenMemory: STATUS, confirmMemory: STATUS },
  ...{
    deleteMe: GIVES_BACK,
    updateMe: ACCOUNT,
    changePassword: ACCOUNT,
    logout: ACCOUNT,
    logoutAll: ACCOUNT,
  },
  ...{ revokeSession: GIVES_BACK, passkeyOptions: ACCOUNT, addPasskey: ACCOUNT, renamePasskey: ACCOUNT },
  ...{ removePasskey: GIVES_BACK, startSecondFactor: ACCOUNT, confirmSecondFactor: ACCOUNT },
  ...{
    renewRecoveryCodes: ACCOUNT,
    removeSecondFactor: GIVES_BACK,
    changeEmail: ACCOUNT,
    sendVerification: ACCOUNT,
  },
  ...{
    register: OUTSIDE,
    login: OUTSIDE,
    refresh: OUTSIDE,
    passkeyLoginOptions: OUTSIDE,
    passkeyLogin: OUTSIDE,
  },
  ...{
    resetPassword: OUTSIDE,
    confirmPasswordReset: OUTSIDE,
    confirmEmailChange: OUTSIDE,
    undoEmailChange: OUTSIDE,
  },
  ...{ verifyEmail: OUTSIDE },
  ...{ subscribeToPush: ACCOUNT, unsubscribeFromPush: GIVES_BACK, updateReminders: ACCOUNT },
  ...{ createCalendarToken: ACCOUNT, revokeCalendarToken: GIVES_BACK },
  ...{ createWebhook: ACCOUNT, updateWebhook: ACCOUNT, deleteWebhook: GIVES_BACK, testWebhook: ACCOUNT },
  ...{ replaceWebhookSecret: ACCOUNT, replayDelivery: ACCOUNT },
  reindex: "it stores nothing new, and only an administrator may",
};

const FULL = { documents: 0, records: 0, bytes: 1, api_keys: 0, connections: 0 };
const TEXT = /the plan free\b.*: .*, or ask the operator/;

async function refusedAt(full: Client, act: () => Promise<{ text: string }>, name: string): Promise<void> {
  const before = await full.ok(getUsageRoute);
  const { text } = await act();
  expect(text, name).toMatch(TEXT);
  const { requests_per_day: _, ...after } = await full.ok(getUsageRoute);
  expect(before, name).toMatchObject(after);
}

test("every operation that writes keeps the limits, or has a reason not to", async () => {
  const writing = OPERATIONS.filter(({ method }) => method !== "GET").map(
    ({ operation }) => operation.operationId,
  );
  const protocol = writing.filter((name) => !(name in LIMITED) && !(name in EXEMPT));
  expect(protocol).toEqual([]);
  const known = new Set(writing);
  expect([...Object.keys(LIMITED), ...Object.keys(EXEMPT)].filter((name) => !known.has(name))).toEqual([]);
});

test.for(Object.entries(LIMITED))(
  "%s is refused at a full account and changes nothing",
  async ([name, act]) => {
    const ada = await person();
    const filled = await fill(ada);
    // A file that is larger than what the plan could hold is not even received.
    const { bytes } = await ada.ok(getUsageRoute);
    const full = withLimits(ada, /import/i.test(name) ? { ...FULL, bytes: bytes.used } : FULL);
    await refusedAt(full, () => act(full, filled), name);
  },
);

type Uses = Record<string, (filled: Filled) => Record<string, unknown>>;

const OF_TOOLS: Uses = {
  create_document: () => ({ title: "New", text: "Text" }),
  edit_document: ({ document }) => ({ id: document.document_id, operation: "append", text: "More" }),
  restore: ({ gone }) => ({ id: `doc:${gone.document_id}` }),
  remember: () => RECORD,
  update_memory: ({ number }) => ({ ids: [number], content: LONG.text }),
  close_memories: ({ number }) => ({ ids: [number], outcome: "resolved", note: "Sent by mail" }),
};
const EXEMPT_TOOLS: Record<string, string> = { delete_document: GIVES_BACK };

test("every tool that writes keeps the limits, or has a reason not to", async () => {
  const names = TOOLS.filter(({ hints }) => !hints.readOnly).map(({ name }) => name);
  const listed = [...Object.keys(OF_TOOLS), ...Object.keys(EXEMPT_TOOLS), "undo_changes"];
  expect(names.sort()).toEqual(listed.sort());
  for (const [name, inputOf] of Object.entries(OF_TOOLS)) {
    const ada = await person();
    const filled = await fill(ada);
    const full = withLimits(ada, FULL);
    const act = async () => ({ text: JSON.stringify(await use(stateless(full), name, inputOf(filled))) });
    await refusedAt(full, act, name);
  }
});

test("undo_changes says for each change that the account is full", async () => {
  const ada = await person();
  const made = await use(stateless(ada), "create_document", { title: "New", text: "Text" });
  await use(stateless(ada), "delete_document", { id: made.id });
  const full = withLimits(ada, FULL);
  const undone = await use(stateless(full), "undo_changes", { ids: await deletions(ada) });
  expect(JSON.stringify(undone)).toMatch(TEXT);
});
