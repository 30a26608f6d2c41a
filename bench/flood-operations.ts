import {
  addChanges,
  addJob,
  addKeys,
  addSessions,
  addSubscriptions,
  addThumbnails,
  addUploads,
  addVersioned,
  beginImport,
  begunImport,
  endUploads,
  exportedFile,
  nextOf,
  restOfImport,
  UPLOAD_BYTES,
  WEBP,
} from "./flood-needs.ts";
import { type Owner, PASSWORD } from "./flood-owner.ts";
import type { Parts } from "./flood-requests.ts";
import { frequentWords, makeLongText, makeText } from "./texts.ts";

// What the requests of an operation are where the default would not do its real work: a large text, another object for
// each request, an order.

export type Special = {
  /** The request with this number. */
  parts?: (owner: Owner, number: number) => Parts;
  /** What the account needs first. */
  prepare?: (owner: Owner) => Promise<void>;
  /** How many at once, if not as usual. */
  count?: number;
  /** Sent by an account of its own after all others, because it ends a session, an account or a credential. */
  isFinal?: true;
  /** Sent after the others, because it uses up what they need. */
  isLate?: true;
};

const CHANGED_AT_ONCE = 100;
const UNDONE_AT_ONCE = 5;
const CONTENT = 20_000;

let turn = 0;
/** A name that nothing has yet. */
const fresh = (name: string) => `${name} ${++turn}`;

export const LARGE_TEXT = makeLongText(77, 800_000);
export const MEDIUM_TEXT = LARGE_TEXT.slice(0, 90_000);
export const PHRASE = `"${frequentWords(9)}"`;
const FILE = makeText("Latin", UPLOAD_BYTES).padEnd(UPLOAD_BYTES).slice(0, UPLOAD_BYTES);

const markdown = (text: string) => ({ format: "markdown", text });

/** The same request of the next object of a kind. */
const ofNext =
  (parameter: string, kind: string, more: Parts = {}) =>
  (owner: Owner): Parts => ({ ...more, params: { [parameter]: owner.next(kind) } });

const ofDocument = (kind: string, more?: Parts): Special => ({ parts: ofNext("document_id", kind, more) });
const ofRecord = (kind: string, more?: Parts): Special => ({ parts: ofNext("memory_id", kind, more) });
const ofFile = (kind: string): Special => ({ parts: ofNext("file_id", kind) });
const query = (asked: NonNullable<Parts["query"]>): Special => ({ parts: () => ({ query: asked }) });
const body = (make: (owner: Owner) => unknown): Special => ({ parts: (owner) => ({ body: make(owner) }) });
const FINAL: Special = { isFinal: true };
/** As many as there are of the largest requests, which take the longest. */
const FEW = 20;

const ACCOUNT: Record<string, Special> = {
  getHealth: query({ deep: "true" }),
  register: body(() => ({ email: `${fresh("new").replace(" ", "")}@example.com`, password: PASSWORD })),
  login: body(({ email }) => ({ email, password: PASSWORD })),
  refresh: body((owner) => ({ refresh_token: owner.next("refresh_token") })),
  logout: body((owner) => ({ refresh_token: owner.next("refresh_token") })),
  resetPassword: body(({ email }) => ({ email })),
  logoutAll: FINAL,
  deleteMe: FINAL,
  changePassword: {
    ...FINAL,
    ...body(() => ({ current_password: PASSWORD, new_password: `${PASSWORD}, another` })),
  },
  changeEmail: {
    ...FINAL,
    ...body(() => ({ email: `${fresh("other").replace(" ", "")}@example.com`, password: PASSWORD })),
  },
  startSecondFactor: FINAL,
  confirmSecondFactor: FINAL,
  removeSecondFactor: FINAL,
  renewRecoveryCodes: FINAL,
  revokeSession: { prepare: addSessions, isLate: true },
  revokeApiKey: { prepare: addKeys },
  revokeCalendarToken: { isLate: true },
  createCalendarToken: { isLate: true },
  subscribeToPush: body(() => ({
    endpoint: `https://push.example.com/send/${++turn}`,
    keys: {
      p256dh: "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM",
      auth: "tBHItJI5svbpez7KI4CCXg",
    },
  })),
  unsubscribeFromPush: { prepare: addSubscriptions },
  createWebhook: {
    isLate: true,
    ...body((owner) => ({ name: fresh("Hook"), url: owner.next("webhook_url"), events: ["memory.erased"] })),
  },
  updateWebhook: body((owner) => ({
    name: fresh("Hook"),
    url: owner.next("webhook_url"),
    events: ["memory.erased"],
  })),
  deleteWebhook: { isLate: true },
  listDeliveries: { parts: ofNext("webhook_id", "tested_webhook") },
  replayDelivery: { parts: ofNext("webhook_id", "tested_webhook") },
};

const DOCUMENTS: Record<string, Special> = {
  createDocument: body(() => ({ title: fresh("New"), content: markdown(MEDIUM_TEXT) })),
  bulkDocuments: {
    count: FEW,
    ...body((owner) => ({
      operations: nextOf(owner, "small_document", CHANGED_AT_ONCE).map((id) => ({
        ...{ operation: "update", id, title: fresh("Changed") },
      })),
    })),
  },
  updateDocument: { parts: (_, number) => ({ body: { content: markdown(`${number} ${LARGE_TEXT}`) } }) },
  deleteDocument: ofDocument("small_document"),
  restoreDocument: ofDocument("trashed_document"),
  editDocument: body(() => ({ operation: "append", text: fresh("Line") })),
  getVersion: ofDocument("with_versions"),
  eraseVersion: { parts: (_, number) => ({ params: { version: number + 2 } }) },
  restoreVersion: ofDocument("with_versions"),
  listDocumentTasks: ofDocument("with_tasks"),
  changeDocumentTask: {
    parts: (owner, number) => ({ params: { document_id: owner.next("with_tasks"), number: number + 1 } }),
  },
  createFolder: body(() => ({ name: fresh("New") })),
  updateFolder: body(() => ({ name: fresh("Renamed") })),
  deleteFolder: { isLate: true, ...query({ on_content: "trash" }) },
  importAccount: { parts: () => ({ query: { mode: "copy" }, body: exportedFile() }) },
  getImport: { prepare: beginImport, parts: begunImport },
  continueImport: { prepare: beginImport, parts: restOfImport },
  deleteImport: { prepare: beginImport, parts: begunImport },
  search: query({ q: PHRASE, type: "all" }),
  suggest: query({ q: PHRASE.slice(1, 4) }),
  renameTag: {
    parts: (owner) => ({ params: { name: owner.next("tag") }, body: { name: fresh("renamed") } }),
  },
  deleteTag: { parts: ofNext("name", "tag") },
  listTrash: query({ type: "all" }),
  emptyTrash: { isLate: true, ...query({ type: "all" }) },
  reindex: { isLate: true },
  beginUpload: body(() => ({ name: fresh("Upload"), bytes: UPLOAD_BYTES })),
  storePart: body(() => FILE),
  completeUpload: { isLate: true, prepare: addUploads, parts: ofNext("upload_id", "full_upload") },
  abortUpload: { isLate: true, prepare: addUploads, parts: ofNext("upload_id", "full_upload") },
  uploadFile: {
    prepare: endUploads,
    parts: () => ({
      headers: { "Content-Disposition": `attachment; filename="${fresh("file")}.txt"` },
      body: `${++turn} ${FILE}`,
    }),
  },
  deleteFile: { isLate: true },
  replaceFile: body((owner) => ({ by: owner.next("file_id") })),
  restoreFile: ofFile("trashed_file"),
  storeThumbnail: body(() => WEBP),
  readThumbnail: { prepare: addThumbnails },
};

const RECORDS: Record<string, Special> = {
  createMemory: body(() => ({
    ...{ memory_type: "commitment", topic: fresh("Topic"), content: LARGE_TEXT.slice(0, CONTENT) },
    due_date: "2099-01-02",
  })),
  changeMemories: {
    count: FEW,
    ...body((owner) => ({
      operations: nextOf(owner, "memory_id", CHANGED_AT_ONCE).map((id) => ({
        ...{ operation: "update", id, content: fresh("Changed") },
      })),
    })),
  },
  listMemories: query({ content_length: CONTENT }),
  updateMemory: body(() => ({ content: `${fresh("Changed")} ${LARGE_TEXT.slice(0, CONTENT - 50)}` })),
  restoreMemory: ofRecord("trashed_record"),
  skipMemory: ofRecord("repeating_record"),
  reopenMemory: ofRecord("resolved_record"),
  getMemoryVersion: { prepare: addVersioned, ...ofRecord("versioned_record") },
  eraseMemoryVersion: ofRecord("versioned_record"),
  restoreMemoryVersion: {
    parts: (owner) => ({ params: { memory_id: owner.next("versioned_record"), version: 2 } }),
  },
  renameProject: {
    parts: (owner) => ({ params: { name: owner.next("project") }, body: { name: fresh("Renamed") } }),
  },
  undoActivity: {
    prepare: addChanges,
    ...body((owner) => ({ ids: nextOf(owner, "change", UNDONE_AT_ONCE) })),
  },
  getJob: { prepare: addJob },
  cancelJob: { prepare: addJob },
};

export const OPERATIONS: Record<string, Special> = { ...ACCOUNT, ...DOCUMENTS, ...RECORDS };
