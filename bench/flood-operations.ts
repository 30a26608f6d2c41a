import { type Headers, PASSWORD, repeated } from "./account.ts";
import { markdown, type Owner, UPLOAD_BYTES } from "./flood-account.ts";
import { frequentWords, makeLongText, makeText } from "./texts.ts";

// What the requests of an operation or tool are where the example of the description would not do its real work: a large
// text, another object for each request, an order.

/** What is said of a request instead of the default. */
export type Parts = {
  params?: Record<string, string | number | undefined>;
  query?: Record<string, string | number | boolean>;
  headers?: Headers;
  body?: unknown;
};

type Ids = {
  items: { id: string | number; current?: boolean; status?: string }[];
  next_cursor?: string | null;
};

let turn = 0;
/** A name that nothing has yet. */
export const fresh = (name: string) => `${name} ${++turn}`;

export const LARGE_TEXT = makeLongText(77, 800_000);
const MEDIUM_TEXT = LARGE_TEXT.slice(0, 90_000);
const RECORD_TEXT = LARGE_TEXT.slice(0, 19_900);
const PHRASE = `"${frequentWords(9)}"`;
const FILE = makeText(UPLOAD_BYTES).padEnd(UPLOAD_BYTES).slice(0, UPLOAD_BYTES);
const WEBP = Buffer.from("RIFF\0\0\0\0WEBPVP8 ");

/** The ids of as many things of a kind. */
const nextOf = (owner: Owner, kind: string, count: number) => repeated(count, () => owner.next(kind) ?? "");

/** Which of the account's things a parameter of an operation names, if not those of its own name. */
export const KINDS: Record<string, Record<string, string>> = {
  ...{ listDeliveries: { webhook_id: "tested_webhook" }, replayDelivery: { webhook_id: "tested_webhook" } },
  ...{
    deleteDocument: { document_id: "small_document" },
    restoreDocument: { document_id: "trashed_document" },
  },
  ...{ getVersion: { document_id: "with_versions" }, restoreVersion: { document_id: "with_versions" } },
  ...{ listDocumentTasks: { document_id: "with_tasks" }, changeDocumentTask: { document_id: "with_tasks" } },
  ...{ renameTag: { name: "tag" }, deleteTag: { name: "tag" }, renameProject: { name: "project" } },
  ...{ completeUpload: { upload_id: "full_upload" }, abortUpload: { upload_id: "full_upload" } },
  ...{ restoreFile: { file_id: "trashed_file" }, restoreMemory: { memory_id: "trashed_record" } },
  ...{ skipMemory: { memory_id: "repeating_record" }, reopenMemory: { memory_id: "resolved_record" } },
  ...{
    getMemoryVersion: { memory_id: "versioned_record" },
    eraseMemoryVersion: { memory_id: "versioned_record" },
  },
  restoreMemoryVersion: { memory_id: "versioned_record" },
};

const QUERIES: Record<string, NonNullable<Parts["query"]>> = {
  getHealth: { deep: "true" },
  deleteFolder: { on_content: "trash" },
  importAccount: { mode: "copy" },
  search: { q: PHRASE, type: "all" },
  suggest: { q: PHRASE.slice(1, 4) },
  listTrash: { type: "all" },
  emptyTrash: { type: "all" },
  listMemories: { content_length: 20_000 },
};

const hook = (owner: Owner) => ({
  ...{ name: fresh("Hook"), url: owner.next("webhook_url"), events: ["memory.erased"] },
});
const newEmail = () => `${fresh("new").replace(" ", "")}@example.com`;
const changed = (owner: Owner, kind: string, fields: object) =>
  nextOf(owner, kind, 100).map((id) => ({ operation: "update", id, ...fields }));

/** The push subscription of a browser, with the keys of RFC 8291. */
const subscription = () => ({
  endpoint: `https://push.example.com/send/${++turn}`,
  keys: {
    p256dh: "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM",
    auth: "tBHItJI5svbpez7KI4CCXg",
  },
});

const BODIES: Record<string, (owner: Owner, number: number) => unknown> = {
  register: () => ({ email: newEmail(), password: PASSWORD }),
  login: ({ email }) => ({ email, password: PASSWORD }),
  refresh: (owner) => ({ refresh_token: owner.next("refresh_token") }),
  logout: (owner) => ({ refresh_token: owner.next("refresh_token") }),
  resetPassword: ({ email }) => ({ email }),
  changePassword: () => ({ current_password: PASSWORD, new_password: `${PASSWORD}, another` }),
  changeEmail: () => ({ email: newEmail(), password: PASSWORD }),
  subscribeToPush: subscription,
  createWebhook: hook,
  updateWebhook: hook,
  createDocument: () => ({ title: fresh("New"), content: markdown(MEDIUM_TEXT) }),
  bulkDocuments: (owner) => ({ operations: changed(owner, "small_document", { title: fresh("Changed") }) }),
  updateDocument: (_, number) => ({ content: markdown(`${number} ${LARGE_TEXT}`) }),
  editDocument: () => ({ operation: "append", text: fresh("Line") }),
  createFolder: () => ({ name: fresh("New") }),
  updateFolder: () => ({ name: fresh("Renamed") }),
  importAccount: () => exported,
  renameTag: () => ({ name: fresh("renamed") }),
  renameProject: () => ({ name: fresh("Renamed") }),
  beginUpload: () => ({ name: fresh("Upload"), bytes: UPLOAD_BYTES }),
  storePart: () => FILE,
  uploadFile: () => `${++turn} ${FILE}`,
  replaceFile: (owner) => ({ by: owner.next("file_id") }),
  storeThumbnail: () => WEBP,
  createMemory: () => ({
    ...{ memory_type: "commitment", topic: fresh("Topic"), content: RECORD_TEXT, due_date: "2099-01-02" },
  }),
  changeMemories: (owner) => ({ operations: changed(owner, "memory_id", { content: fresh("Changed") }) }),
  updateMemory: () => ({ content: `${fresh("Changed")} ${RECORD_TEXT}` }),
  undoActivity: (owner) => ({ ids: nextOf(owner, "change", 5) }),
};

/** What an export of a much smaller account says; and where a line begins in its middle, because only whole lines are kept. */
let exported = "";
export function keepExport(text: string): void {
  exported = text;
}
const halves = () => {
  const middle = exported.lastIndexOf("\n", exported.length / 2) + 1;
  return [exported.slice(0, middle), exported.slice(middle)] as const;
};

let begun = "";
const begunImport = (): Parts => ({ params: { import_id: begun } });

const OTHERS: Record<string, (owner: Owner, number: number) => Parts> = {
  eraseVersion: (_, number) => ({ params: { version: number + 2 } }),
  changeDocumentTask: (_, number) => ({ params: { number: number + 1 } }),
  restoreMemoryVersion: () => ({ params: { version: 2 } }),
  uploadFile: () => ({ headers: { "Content-Disposition": `attachment; filename="${fresh("file")}.txt"` } }),
  getImport: begunImport,
  deleteImport: begunImport,
  continueImport: () => {
    const [half, rest] = halves();
    const [from, whole] = [Buffer.byteLength(half), Buffer.byteLength(exported)];
    const range = `bytes ${from}-${whole - 1}/${whole}`;
    return { ...begunImport(), headers: { "Content-Range": range }, body: rest };
  },
};

/** The request of an operation with this number. */
export function partsOf(operation: string, owner: Owner, number: number): Parts {
  const kinds = Object.entries(KINDS[operation] ?? {}).map(([name, kind]) => [name, owner.next(kind)]);
  const body = BODIES[operation];
  const { params, ...others } = OTHERS[operation]?.(owner, number) ?? {};
  const query = QUERIES[operation];
  return {
    ...(query && { query }),
    ...(body && { body: body(owner, number) }),
    ...{ params: { ...Object.fromEntries(kinds), ...params }, ...others },
  };
}

type Prepare = (owner: Owner) => Promise<void>;

/** Looks up things of a kind. */
const listed =
  (kind: string, path: string): Prepare =>
  async (owner) => {
    const { items } = await owner.ask<Ids>("GET", path);
    owner.add(
      kind,
      items.filter(({ current }) => !current).map(({ id }) => id),
    );
  };

/** Changes that the account has not undone. */
async function addChanges(owner: Owner): Promise<void> {
  for (let page = 0, cursor = ""; page < 6; page++) {
    const path = `/api/activity?kind=memory&verb=created&limit=100${cursor && `&cursor=${cursor}`}`;
    const { items, next_cursor } = await owner.ask<Ids>("GET", path);
    owner.add(
      "change",
      items.map(({ id }) => id),
    );
    if (!next_cursor) return;
    cursor = encodeURIComponent(next_cursor);
  }
}

/** Begins an import, after cancelling those before: an account has two at most. */
async function beginImport(owner: Owner): Promise<void> {
  const { items } = await owner.ask<Ids>("GET", "/api/import?limit=100");
  for (const { id } of items.filter(({ status }) => status === "uploading"))
    await owner.send("DELETE", `/api/import/${id}`);
  const [half] = halves();
  const range = `bytes 0-${Buffer.byteLength(half) - 1}/${Buffer.byteLength(exported)}`;
  const headers = { "Content-Type": "application/x-ndjson", "Content-Range": range };
  begun = (await owner.ask<{ id: string }>("POST", "/api/import", half, headers)).id;
}

/** Records with three versions each. */
async function addVersioned(owner: Owner): Promise<void> {
  const ids = nextOf(owner, "memory_id", 100);
  for (const content of ["Second", "Third"])
    await owner.send("POST", "/api/memories/bulk", {
      operations: ids.map((id) => ({ operation: "update", id, content })),
    });
  owner.add("versioned_record", ids);
}

/** Ends the uploads that are under way, of which an account has at most 50. */
async function endUploads(owner: Owner): Promise<void> {
  const { items } = await owner.ask<Ids>("GET", "/api/files/uploads");
  for (const { id } of items) await owner.send("DELETE", `/api/files/${id}/parts`);
}

/** Begins uploads; each has all of its bytes. */
async function addUploads(owner: Owner): Promise<void> {
  await endUploads(owner);
  for (const name of repeated(20, (number) => `Upload ${number}`)) {
    const { id } = await owner.ask<{ id: string }>("POST", "/api/files/uploads", {
      name,
      bytes: UPLOAD_BYTES,
    });
    await owner.send("PUT", `/api/files/${id}/parts/1`, FILE, { "Content-Type": "application/octet-stream" });
    owner.add("full_upload", [id]);
  }
}

const addThumbnail: Prepare = async (owner) =>
  void (await owner.send("PUT", `/api/files/${owner.next("file_id")}/thumbnails/320`, WEBP, {
    "Content-Type": "image/webp",
  }));

/** What the account needs first, because others use it up. */
export const PREPARED: Record<string, Prepare> = {
  revokeSession: listed("session_id", "/api/auth/sessions?limit=100"),
  revokeApiKey: listed("api_key_id", "/api/api-keys?limit=100"),
  unsubscribeFromPush: listed("subscription_id", "/api/push"),
  getJob: listed("job_id", "/api/jobs?limit=100"),
  cancelJob: listed("job_id", "/api/jobs?limit=100"),
  ...{ getImport: beginImport, continueImport: beginImport, deleteImport: beginImport },
  ...{ completeUpload: addUploads, abortUpload: addUploads, uploadFile: endUploads },
  ...{ readThumbnail: addThumbnail, getMemoryVersion: addVersioned, undoActivity: addChanges },
};

/** Sent after the others, because they use up what those need. */
export const LATE = new Set([
  ...["revokeSession", "revokeCalendarToken", "createCalendarToken", "createWebhook", "deleteWebhook"],
  ...["deleteFolder", "emptyTrash", "reindex", "completeUpload", "abortUpload", "deleteFile"],
]);

/** Sent last, by an account of its own, because they end a session, an account or a credential. */
export const FINAL = new Set([
  ...["logoutAll", "deleteMe", "changePassword", "changeEmail", "startSecondFactor"],
  ...["confirmSecondFactor", "removeSecondFactor", "renewRecoveryCodes"],
]);

/** The largest requests, of which there are fewer. */
export const FEWER = new Set(["bulkDocuments", "changeMemories"]);

const named = (prefix: string, ids: (string | number)[]) => ids.map((id) => `${prefix}:${id}`);

/** The arguments of a tool where the simplest would not do its real work. */
export const TOOLS: Record<string, (owner: Owner) => object> = {
  search: () => ({ query: PHRASE }),
  fetch: (owner) => ({ id: `doc:${owner.next("document_id")}` }),
  list_documents: () => ({ limit: 50 }),
  create_document: () => ({ title: fresh("From a tool"), text: MEDIUM_TEXT }),
  edit_document: (owner) => ({
    ...{ ids: [`doc:${owner.next("document_id")}`], operation: "append", text: fresh("Line") },
  }),
  delete_document: (owner) => ({ ids: named("doc", nextOf(owner, "small_document", 1)) }),
  list_trash: () => ({ limit: 100 }),
  list_versions: (owner) => ({ id: `doc:${owner.next("document_id")}` }),
  restore: (owner) => ({ id: `doc:${owner.next("with_versions")}`, version: 1 }),
  list_changes: () => ({ since: "2026-01-01", limit: 100 }),
  remember: () => ({ memory_type: "decision", topic: fresh("Topic"), content: RECORD_TEXT }),
  update_memory: (owner) => ({
    ...{ ids: named("mem", nextOf(owner, "memory_id", 20)), priority: "high", add_tags: [fresh("tag")] },
  }),
  close_memories: (owner) => ({ ids: named("mem", nextOf(owner, "memory_id", 20)), outcome: "resolved" }),
  list_memories: () => ({ view: "all", limit: 100 }),
};

/** What is said of operations, to find what is no longer published. */
export const SAID_OF = [KINDS, QUERIES, BODIES, OTHERS, PREPARED]
  .flatMap(Object.keys)
  .concat(...LATE, ...FINAL);
