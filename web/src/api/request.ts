import { isTransientStatus } from "../../../src/contract/error-codes.ts";
import { confirmedAccount } from "./current-account.ts";
import { takeEarlyResponse } from "./early-requests.ts";
import { type QueryParameters, urlWithQuery } from "./query-url.ts";
import { UserFacingError } from "./user-facing-error.ts";

// One request to the API, with the cookie session.

export type RequestOptions = {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  query?: QueryParameters | undefined;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent unchanged, instead of `body`. */
  raw?: Blob | string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
  /** The version that a change is based on, sent as If-Match. */
  version?: number | undefined;
  idempotencyKey?: string | undefined;
  /** Id of the account that it is made for, which must be the session's. Default: the account of the page. */
  account?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Receives the change id of the response, for undoing. */
  changes?: string[] | undefined;
};

/** An error response, with the server's message. Status 0: no answer. */
export class ApiError extends UserFacingError {
  readonly status: number;
  /** Seconds to wait, from `Retry-After`. */
  readonly retryAfter: number | undefined;
  /** From `Error-Code`, where the status alone is ambiguous. */
  readonly code: string | undefined;

  constructor(status: number, message: string, more: { retryAfter?: number; code?: string } = {}) {
    super(message);
    this.status = status;
    this.retryAfter = more.retryAfter;
    this.code = more.code;
  }
}

export const isApiError = (problem: unknown, ...statuses: number[]): problem is ApiError =>
  problem instanceof ApiError && (statuses.length === 0 || statuses.includes(problem.status));

/** For `catch`: undefined instead of an ApiError with one of these statuses. */
export const undefinedIf =
  (...statuses: [number, ...number[]]) =>
  (problem: unknown): undefined => {
    if (!isApiError(problem, ...statuses)) throw problem;
  };

/** The status while an earlier attempt under the same Idempotency-Key is still running. */
export const STILL_RUNNING = 409;

/**
 * Whether a retry may succeed: no answer, or one that says so.
 *
 * @param also statuses that are transient for this request only
 */
export const isTransientError = (problem: unknown, ...also: number[]): problem is ApiError =>
  isApiError(problem, 0, ...also) || (isApiError(problem) && isTransientStatus(problem.status));

/** The newest database state that this tab has seen, so that an up-to-date replica may answer. */
let bookmark: string | undefined;

/** Bookmarks sort by age, but only among those of one database, whose number they begin with. */
function keepBookmark(next: string | null): void {
  if (!next) return;
  const isOlder = bookmark?.split(":")[0] === next.split(":")[0] && bookmark && next < bookmark;
  if (!isOlder) bookmark = next;
}

type SignInHandler = () => Promise<void>;
let handleSignedOut: SignInHandler | undefined;
/** The sign-in in progress: all requests that get 401 wait for the same one. */
let signingIn: Promise<void> | undefined;
/** Number of repeated sign-ins on this page. */
let signIns = 0;

/** Sets the handler for an ended session. Requests wait for it and are then repeated. */
export function onSignedOut(ask: SignInHandler): void {
  handleSignedOut = ask;
}

/** @param before `signIns` when the request was sent */
async function waitForSignIn(before: number, ask: SignInHandler): Promise<void> {
  if (signIns > before) return;
  signingIn ??= ask().finally(() => {
    signingIn = undefined;
    signIns += 1;
  });
  await signingIn;
}

function requestHeaders(options: RequestOptions): Headers {
  const { method = "GET", body, headers, version, idempotencyKey, account = confirmedAccount() } = options;
  const all = new Headers(headers);
  all.set("X-Requested-With", "commonplace");
  if (method !== "GET" && !all.has("X-Source-Type")) all.set("X-Source-Type", "web");
  if (body !== undefined) all.set("Content-Type", "application/json");
  if (version !== undefined) all.set("If-Match", `"v${version}"`);
  if (idempotencyKey) all.set("Idempotency-Key", idempotencyKey);
  if (account) all.set("X-Account", account);
  if (bookmark) all.set("X-D1-Bookmark", bookmark);
  return all;
}

/** Internal errors have no detail. */
const INTERNAL_ERROR = "Something went wrong on the server. Try again in a moment.";

/** “new_password: is too short” becomes “New password is too short”. */
const withoutFieldNames = (detail: string) =>
  detail.replace(/(?<=^|; )([a-z])([a-z_]*): (?=(?:is|must|needs|has)\b)/g, (_, first, rest) => {
    return `${first.toUpperCase()}${rest.replaceAll("_", " ")} `;
  });

async function readError(answer: Response): Promise<ApiError> {
  if (answer.status === 500) return new ApiError(500, INTERNAL_ERROR);
  const body = await readJson(answer).catch(() => undefined);
  const sent = (body as { detail?: string } | undefined)?.detail;
  const detail = sent && answer.status === 422 ? withoutFieldNames(sent) : sent;
  const retryAfter = Number(answer.headers.get("Retry-After"));
  const code = answer.headers.get("Error-Code");
  return new ApiError(answer.status, detail ?? `The server answered with status ${answer.status}`, {
    ...(retryAfter && { retryAfter }),
    ...(code && { code }),
  });
}

const NO_ANSWER = "Can’t reach the server";

/** Longer than the service waits for a job. Each kB that is sent has a second more: slow lines must get a long text through. */
const MAX_ANSWER_MS = 60_000;

async function send(path: string, options: RequestOptions): Promise<Response> {
  const { method = "GET", query, body, raw, signal } = options;
  const content = raw ?? JSON.stringify(body) ?? null;
  const address = urlWithQuery(path, query);
  // Early requests name no account: the account itself was read among them, in the same session.
  const begun = method === "GET" ? takeEarlyResponse(address) : undefined;
  const limit = new AbortController();
  const timer = raw ? undefined : setTimeout(() => limit.abort(), MAX_ANSWER_MS + String(content).length);
  try {
    const answer = await (begun ??
      fetch(address, {
        method,
        headers: requestHeaders(options),
        body: content,
        signal: AbortSignal.any(signal ? [signal, limit.signal] : [limit.signal]),
        credentials: "same-origin",
      }));
    // What is read may be long: it has time as long as more of it arrives.
    if (method === "GET") clearTimeout(timer);
    return answer;
  } catch (problem) {
    if (signal?.aborted) throw problem;
    throw new ApiError(0, navigator.onLine ? NO_ANSWER : "You’re offline");
  }
}

/** A truncated response, or one of which no more arrives, counts as no answer: the request may have been applied. */
async function readJson({ body }: Response, { signal }: RequestOptions = {}): Promise<unknown> {
  const reader = (body as ReadableStream<BufferSource>).pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let text = ""; ; ) {
      const timer = setTimeout(() => reader.cancel(), MAX_ANSWER_MS);
      const { value } = await reader.read().finally(() => clearTimeout(timer));
      if (!value) return JSON.parse(text);
      text += value;
    }
  } catch (problem) {
    throw signal?.aborted ? problem : new ApiError(0, NO_ANSWER);
  }
}

/** Sends a request and returns its JSON. If the session has ended, asks the user to sign in and repeats it. Throws ApiError. */
export async function request<T>(path: string, options: RequestOptions = {}): Promise<T> {
  const before = signIns;
  const answer = await send(path, options);
  keepBookmark(answer.headers.get("X-D1-Bookmark"));
  if (answer.status === 401 && handleSignedOut && !path.startsWith("/api/auth/login")) {
    await waitForSignIn(before, handleSignedOut);
    return request(path, options);
  }
  if (!answer.ok) throw await readError(answer);
  const change = answer.headers.get("Change-Id");
  if (change) options.changes?.push(change);
  const isEmpty = answer.status === 204 || !answer.headers.has("Content-Type");
  return isEmpty ? (undefined as T) : ((await readJson(answer, options)) as T);
}
