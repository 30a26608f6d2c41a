import type { z } from "zod";
import type * as activity from "../../src/contract/activity.ts";
import type * as apiKeys from "../../src/contract/api-keys.ts";
import type * as email from "../../src/contract/auth-email.ts";
import type * as passkeys from "../../src/contract/passkeys.ts";
import type * as auth from "../../src/contract/auth.ts";
import type * as factor from "../../src/contract/second-factor.ts";
import type * as billing from "../../src/contract/billing.ts";
import type * as connections from "../../src/contract/connections.ts";
import type * as dashboard from "../../src/contract/dashboard.ts";
import type * as bulk from "../../src/contract/document-bulk.ts";
import type * as documents from "../../src/contract/document.ts";
import type * as folders from "../../src/contract/folder.ts";
import type * as imports from "../../src/contract/import-state.ts";
import type * as memoryBulk from "../../src/contract/memory-bulk.ts";
import type * as memoryEvents from "../../src/contract/memory-event.ts";
import type * as memories from "../../src/contract/memory.ts";
import type * as memoryVersions from "../../src/contract/memory-version.ts";
import type * as push from "../../src/contract/push.ts";
import type * as reminders from "../../src/contract/reminders.ts";
import type * as search from "../../src/contract/search.ts";
import type * as events from "../../src/contract/security-events.ts";
import type * as tags from "../../src/contract/tags.ts";
import type * as trash from "../../src/contract/trash.ts";
import type * as webhooks from "../../src/contract/webhooks.ts";
import { forgetAccount, workFor } from "./holder.ts";
import { dropCopies, orCopy } from "./state/copies.ts";
import { type Options, request } from "./api/request.ts";
import { forgetSearches } from "./state/kept-searches.ts";

// The only place that knows the API: its paths, and the types of its requests and answers, taken from the Worker's
// own schemas.

type Answer<Schema extends z.ZodType> = z.output<Schema>;
type Input<Schema extends z.ZodType> = z.input<Schema>;
/** The parameters of a list as a caller writes them. */
type Query<Schema extends z.ZodType> = {
  [Name in keyof z.output<Schema>]?: z.output<Schema>[Name] | undefined;
};

export type User = Answer<typeof auth.User>;
export type Session = Answer<typeof auth.SessionList>["items"][number];
export type SecurityEvent = Answer<typeof events.SecurityEventList>["items"][number];
export type NewSecondFactor = Answer<typeof factor.NewSecondFactor>;
export type Passkey = passkeys.Passkey;
export type PasskeyOptions = passkeys.PasskeyOptions;
export type Attestation = passkeys.Attestation;
export type Document = documents.Document;
export type DocumentListItem = documents.DocumentListItem;
export type DocumentList = documents.DocumentList;
export type DocumentVersion = documents.DocumentVersion;
export type DocumentVersionListItem = Answer<typeof documents.DocumentVersionListItem>;
export type DocumentOperation = bulk.BulkOperation;
export type Folder = folders.Folder;
export type Tag = tags.TagItem;
export type TrashItem = trash.TrashList["items"][number];
export type Memory = memories.Memory;
export type MemoryType = memories.MemoryType;
export type MemoryEvent = memoryEvents.MemoryEvent;
export type NewMemory = Input<typeof memories.MemoryCreateRequest>;
export type MemoryChange = Partial<NewMemory>;
export type MemoryOperation = Input<typeof memoryBulk.MemoryBulkRequest>["operations"][number];
export type DashboardItem = Answer<typeof dashboard.CommitmentList>["items"][number];
export type Summary = dashboard.Summary;
export type History = dashboard.CommitmentHistory;
export type SearchAnswer = search.SearchAnswer;
export type SearchResult = search.SearchResult;
export type Suggestion = search.SuggestAnswer["suggestions"][number];
export type Usage = billing.Usage;
export type Connection = connections.Connection;
export type ApiKey = apiKeys.ApiKey;
export type Activity = activity.Activity;
export type UndoResult = activity.UndoResult;
export type RecordState = activity.RecordState;
export type MemoryVersion = memoryVersions.MemoryVersion;
export type Reminders = reminders.Reminders;
export type Webhook = webhooks.Webhook;
export type WebhookDelivery = webhooks.WebhookDelivery;
export type Import = Answer<typeof imports.Import>;

/** Which version a change is based on: it is refused with 412 if there is a newer one. */
type Based = Pick<Options, "version">;

const get = <T>(path: string, query?: Options["query"], signal?: AbortSignal) =>
  request<T>(path, { query, signal });
const post = <T>(path: string, body: unknown, more: Partial<Options> = {}) =>
  request<T>(path, { ...more, method: "POST", body });

/** What can be kept on this device, by the paths of the API. */
export const paths = {
  document: (id: string) => `/api/documents/${id}`,
  record: (id: number) => `/api/memories/${id}`,
};

/** The page shows this account from now on. */
function shown(user: User): User {
  workFor(user.id);
  return user;
}

/** After signing out: whoever uses this browser next sees nothing of what was kept. */
async function leave(): Promise<void> {
  forgetSearches();
  forgetAccount();
  await dropCopies();
}

/** Only the app's own account operations send a password. */
export const account = {
  me: () => orCopy("/api/auth/me", () => get<User>("/api/auth/me").then(shown)).then(shown),
  signIn: (input: { email: string; password: string; code?: string }) =>
    post<User>("/api/auth/login", { ...input, session: "cookie" }),
  signOut: () => post<void>("/api/auth/logout", {}).then(leave),
  signOutEverywhere: () => post<void>("/api/auth/logout-all", undefined).then(leave),
  update: (change: Input<typeof auth.UserUpdateRequest>) =>
    request<User>("/api/auth/me", { method: "PATCH", body: change }),
  changePassword: (input: Input<typeof auth.PasswordRequest>) => post<void>("/api/auth/password", input),
  erase: (body: Input<typeof auth.DeleteMeRequest>) =>
    request<void>("/api/auth/me", { method: "DELETE", body }).then(leave),
  sessions: (query: Query<typeof auth.SessionListQuery> = {}) =>
    get<Answer<typeof auth.SessionList>>("/api/auth/sessions", query),
  endSession: (id: string) => request<void>(`/api/auth/sessions/${id}`, { method: "DELETE" }),
  events: (query: Query<typeof events.SecurityEventListQuery> = {}) =>
    get<Answer<typeof events.SecurityEventList>>("/api/auth/events", query),
  changeEmail: (input: Input<typeof email.EmailChangeRequest>) => post<void>("/api/auth/email", input),
  sendVerification: () => post<void>("/api/auth/email/verification", undefined),
  secondFactor: () => get<factor.SecondFactor>("/api/auth/second-factor"),
  startSecondFactor: (password: string) => post<NewSecondFactor>("/api/auth/second-factor", { password }),
  confirmSecondFactor: (code: string) =>
    post<Answer<typeof factor.RecoveryCodes>>("/api/auth/second-factor/confirm", { code }),
  renewRecoveryCodes: (input: Input<typeof factor.SecondFactorChangeRequest>) =>
    post<Answer<typeof factor.RecoveryCodes>>("/api/auth/second-factor/recovery-codes", input),
  removeSecondFactor: (input: Input<typeof factor.SecondFactorChangeRequest>) =>
    request<void>("/api/auth/second-factor", { method: "DELETE", body: input }),
  passkeys: () => get<Answer<typeof passkeys.PasskeyList>>("/api/auth/passkeys", { limit: 100 }),
  passkeyOptions: (input: Input<typeof passkeys.PasskeyOptionsRequest>) =>
    post<PasskeyOptions>("/api/auth/passkeys/options", input),
  addPasskey: (input: Input<typeof passkeys.PasskeyCreateRequest>) =>
    post<Passkey>("/api/auth/passkeys", input),
  renamePasskey: (id: string, name: string) =>
    request<Passkey>(`/api/auth/passkeys/${id}`, { method: "PATCH", body: { name } }),
  removePasskey: (id: string) => request<void>(`/api/auth/passkeys/${id}`, { method: "DELETE" }),
};

export const documentsApi = {
  list: (query: Query<typeof documents.DocumentListQuery>, signal?: AbortSignal) =>
    get<documents.DocumentList>("/api/documents", query, signal),
  get: (id: string) => orCopy(paths.document(id), () => get<Document>(paths.document(id))),
  /** Also from the trash. */
  getAnywhere: (id: string) => get<documents.ReadDocument>(`/api/documents/${id}`, { trashed: true }),
  create: (input: Input<typeof documents.DocumentCreateRequest>, idempotencyKey?: string) =>
    post<Document>("/api/documents", input, { idempotencyKey }),
  update: (id: string, change: Input<typeof documents.DocumentUpdateRequest>, based: Based = {}) =>
    request<Document>(`/api/documents/${id}`, { ...based, method: "PUT", body: change }),
  remove: (id: string, permanent = false) =>
    request<void>(`/api/documents/${id}`, { method: "DELETE", query: permanent ? { permanent } : {} }),
  restore: (id: string) => post<Document>(`/api/documents/${id}/restore`, undefined),
  bulk: (input: Input<typeof bulk.DocumentBulkRequest>, idempotencyKey?: string) =>
    post<Answer<typeof bulk.DocumentBulkAnswer>>("/api/documents/bulk", input, { idempotencyKey }),
  versions: (id: string, query: Query<typeof documents.VersionListQuery> = {}) =>
    get<documents.DocumentVersionList>(`/api/documents/${id}/versions`, query),
  version: (id: string, version: number) => get<DocumentVersion>(`/api/documents/${id}/versions/${version}`),
  restoreVersion: (id: string, version: number, based: Based = {}) =>
    post<Document>(`/api/documents/${id}/versions/${version}/restore`, undefined, based),
};

export const foldersApi = {
  list: (query: Query<typeof folders.FolderListQuery> = {}) => get<folders.FolderList>("/api/folders", query),
  create: (input: Input<typeof folders.FolderCreateRequest>, idempotencyKey?: string) =>
    post<Folder>("/api/folders", input, { idempotencyKey }),
  update: (id: string, change: Input<typeof folders.FolderUpdateRequest>) =>
    request<Folder>(`/api/folders/${id}`, { method: "PUT", body: change }),
  remove: (id: string, onContent?: "move_up" | "trash") =>
    request<void>(`/api/folders/${id}`, { method: "DELETE", query: { on_content: onContent } }),
};

export const tagsApi = {
  list: (query: Query<typeof tags.TagListQuery> = {}) => get<Answer<typeof tags.TagList>>("/api/tags", query),
  rename: (name: string, to: string) =>
    request<Tag>(`/api/tags/${encodeURIComponent(name)}`, { method: "PUT", body: { name: to } }),
  remove: (name: string) => request<void>(`/api/tags/${encodeURIComponent(name)}`, { method: "DELETE" }),
};

export const trashApi = {
  list: (query: Query<typeof trash.TrashListQuery> = {}) => get<trash.TrashList>("/api/trash", query),
  empty: () => request<void>("/api/trash", { method: "DELETE", query: { type: "all" } }),
};

export type MemoryAction = "resolve" | "defer" | "archive" | "reopen" | "confirm";

export const memoriesApi = {
  list: (query: Query<typeof memories.MemoryListQuery>, signal?: AbortSignal) =>
    get<memories.MemoryList>("/api/memories", query, signal),
  /** The records that belong to a document. */
  ofDocument: (document_id: string, limit: number) => memoriesApi.list({ document_id, limit }),
  get: (id: number) => orCopy(paths.record(id), () => get<Memory>(paths.record(id))),
  /** Also from the trash. */
  getAnywhere: (id: number) => get<memories.ReadMemory>(`/api/memories/${id}`, { trashed: true }),
  create: (input: NewMemory, more: Pick<Options, "idempotencyKey" | "account"> = {}) =>
    post<Memory>("/api/memories", input, more),
  update: (id: number, change: MemoryChange, based: Based = {}) =>
    request<Memory>(`/api/memories/${id}`, { ...based, method: "PATCH", body: change }),
  /** One step of its life; `input` has the fields that the action knows. */
  act: (id: number, action: MemoryAction, input: Record<string, unknown> = {}) =>
    post<Memory>(`/api/memories/${id}/${action}`, input),
  supersede: (id: number, input: Input<typeof memories.SupersedeRequest>) =>
    post<Memory>(`/api/memories/${id}/supersede`, input),
  remove: (id: number, permanent = false) =>
    request<void>(`/api/memories/${id}`, { method: "DELETE", query: permanent ? { permanent } : {} }),
  restore: (id: number) => post<Memory>(`/api/memories/${id}/restore`, undefined),
  bulk: (operations: MemoryOperation[], idempotencyKey?: string) =>
    post<Answer<typeof memoryBulk.MemoryBulkAnswer>>(
      "/api/memories/bulk",
      { operations },
      { idempotencyKey },
    ),
  versions: (id: number, query: Query<typeof memoryVersions.VersionListQuery> = {}) =>
    get<memoryVersions.MemoryVersionList>(`/api/memories/${id}/versions`, query),
  version: (id: number, version: number) => get<MemoryVersion>(`/api/memories/${id}/versions/${version}`),
  restoreVersion: (id: number, version: number, based: Based = {}) =>
    post<Memory>(`/api/memories/${id}/versions/${version}/restore`, undefined, based),
  events: (id: number, query: Query<typeof memoryEvents.MemoryEventListQuery> = {}) =>
    get<Answer<typeof memoryEvents.MemoryEventList>>(`/api/memories/${id}/events`, query),
};

export const activityApi = {
  list: (query: Query<typeof activity.ActivityListQuery> = {}) =>
    get<activity.ActivityList>("/api/activity", query),
  undo: (ids: number[], idempotencyKey: string) =>
    post<activity.UndoAnswer>("/api/activity/undo", { ids }, { idempotencyKey }),
  /** What an undo would do once other changes are undone. */
  tryUndo: (ids: number[], assume_undone: number[]) =>
    post<activity.UndoAnswer>("/api/activity/undo", { ids, dry_run: true, assume_undone }),
};

export const dashboardApi = {
  commitments: (query: Query<typeof dashboard.CommitmentsQuery> = {}) =>
    get<Answer<typeof dashboard.CommitmentList>>("/api/dashboard/commitments", query),
  alerts: (query: Query<typeof dashboard.AlertsQuery> = {}) =>
    get<Answer<typeof dashboard.CommitmentList>>("/api/dashboard/alerts", query),
  history: (query: Query<typeof dashboard.HistoryQuery> = {}) =>
    get<History>("/api/dashboard/commitment-history", query),
  summary: (query: Query<typeof dashboard.SummaryQuery> = {}) =>
    get<Summary>("/api/dashboard/summary", query),
  createCalendar: () =>
    post<Answer<typeof dashboard.CalendarToken>>("/api/dashboard/calendar-token", undefined),
  revokeCalendar: () => request<void>("/api/dashboard/calendar-token", { method: "DELETE" }),
};

export const searchApi = {
  search: (query: Query<typeof search.SearchQuery> & { q: string }, signal?: AbortSignal) =>
    get<SearchAnswer>("/api/search", query, signal),
  suggest: (q: string, signal?: AbortSignal) =>
    get<search.SuggestAnswer>("/api/search/suggest", { q }, signal),
};

export const billingApi = {
  usage: () => get<Usage>("/api/billing/usage"),
};

export const connectionsApi = {
  list: (query: Query<typeof connections.ConnectionListQuery> = {}) =>
    get<Answer<typeof connections.ConnectionList>>("/api/connections", query),
  end: (id: string) => request<void>(`/api/connections/${id}`, { method: "DELETE" }),
};

export const apiKeysApi = {
  list: (query: Query<typeof apiKeys.ApiKeyListQuery> = {}) =>
    get<apiKeys.ApiKeyList>("/api/api-keys", query),
  create: (input: Input<typeof apiKeys.ApiKeyCreateRequest>) =>
    post<apiKeys.NewApiKey>("/api/api-keys", input),
  revoke: (id: string) => request<void>(`/api/api-keys/${id}`, { method: "DELETE" }),
};

export const remindersApi = {
  get: () => get<Reminders>("/api/reminders"),
  update: (change: Input<typeof reminders.RemindersUpdateRequest>) =>
    request<Reminders>("/api/reminders", { method: "PATCH", body: change }),
};

export const pushApi = {
  list: () => get<push.PushSubscriptionList>("/api/push"),
  subscribe: (subscription: PushSubscriptionJSON) =>
    post<push.PushSubscription>("/api/push", { endpoint: subscription.endpoint, keys: subscription.keys }),
  unsubscribe: (id: string) => request<void>(`/api/push/${id}`, { method: "DELETE" }),
};

export const webhooksApi = {
  list: (query: Query<typeof webhooks.WebhookListQuery> = {}) =>
    get<webhooks.WebhookList>("/api/webhooks", query),
  create: (input: Input<typeof webhooks.WebhookCreateRequest>) =>
    post<webhooks.NewWebhook>("/api/webhooks", input),
  update: (id: string, change: Input<typeof webhooks.WebhookUpdateRequest>) =>
    request<Webhook>(`/api/webhooks/${id}`, { method: "PATCH", body: change }),
  remove: (id: string) => request<void>(`/api/webhooks/${id}`, { method: "DELETE" }),
  test: (id: string) => post<WebhookDelivery>(`/api/webhooks/${id}/test`, undefined),
  replaceSecret: (id: string) => post<webhooks.NewWebhookSecret>(`/api/webhooks/${id}/secret`, undefined),
  deliveries: (id: string, query: Query<typeof webhooks.DeliveryListQuery> = {}) =>
    get<webhooks.WebhookDeliveryList>(`/api/webhooks/${id}/deliveries`, query),
  replay: (id: string, delivery: string) =>
    post<WebhookDelivery>(`/api/webhooks/${id}/deliveries/${delivery}/replay`, undefined),
};

export const exportApi = {
  /**
   * The address of the export, once the session is known to be good: a browser would save a refusal as if it were the
   * export.
   */
  address: () => get<User>("/api/auth/me").then(() => "/api/export"),
};

/** The service's own time, to the second: this device's clock may be fast. */
export async function serviceTime(): Promise<Date> {
  const answer = await fetch("/health").catch(() => undefined);
  return new Date(answer?.headers.get("Date") ?? Date.now());
}

export type ImportMode = Import["mode"];
/** Where a part of a file belongs: its first byte, the one after its last, and the size of the file. */
type Part = { bytes: Blob; start: number; total: number; signal?: AbortSignal };

const NDJSON = { "Content-Type": "application/x-ndjson" };

const partOf = ({ bytes, start, total, signal }: Part) => ({
  method: "POST" as const,
  raw: bytes,
  headers: { ...NDJSON, "Content-Range": `bytes ${start}-${start + bytes.size - 1}/${total}` },
  signal,
});

export const importsApi = {
  /** Sends the first part of an export file. A repetition with the same key starts over. */
  start: (part: Part, query: { mode: ImportMode; dry_run: boolean }, idempotencyKey: string) =>
    request<Import>("/api/import", { ...partOf(part), query, idempotencyKey }),
  /** Sends a further part, from byte `received` on. */
  sendPart: (id: string, part: Part) => request<Import>(`/api/import/${id}`, partOf(part)),
  /** Applies what was received completely. */
  apply: (id: string, signal?: AbortSignal) =>
    request<Import>(`/api/import/${id}`, { method: "POST", raw: "", headers: NDJSON, signal }),
  list: (query: Query<typeof imports.ImportListQuery> = {}) =>
    get<Answer<typeof imports.ImportList>>("/api/import", query),
  get: (id: string, signal?: AbortSignal) => get<Import>(`/api/import/${id}`, undefined, signal),
  remove: (id: string) => request<void>(`/api/import/${id}`, { method: "DELETE" }),
};
