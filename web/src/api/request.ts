import { type Asked, addressOf } from "./address.ts";
import { takeBegun } from "./begun.ts";
import { Explained } from "./explained.ts";
import { knownAccount } from "./holder.ts";

// One request to the API, with the cookie session.

export type Options = {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  query?: Asked | undefined;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is, instead of `body`. */
  raw?: Blob | string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
  /** The version that a change is based on. */
  version?: number | undefined;
  idempotencyKey?: string | undefined;
  /** The id of the account that it is made for, which must be the session's. By default the one that the page shows. */
  account?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Gets the name that the answer gives to what was changed, by which it is undone. */
  changes?: string[] | undefined;
};

/** What the API refused, with its own words. Status 0: there was no answer. */
export class ApiError extends Explained {
  readonly status: number;
  /** Seconds to wait, from `Retry-After`. */
  readonly retryAfter: number | undefined;
  /** What exactly was refused, from `Error-Code`, where the status does not say enough. */
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

/** Whether a later attempt may be answered otherwise: there was no answer, a fault, a limit. */
export const isPassing = (problem: unknown): problem is ApiError =>
  isApiError(problem) && (problem.status >= 500 || [0, 408, 429].includes(problem.status));

/** The database state that this tab has seen: with it, a replica that is up to date may answer. */
let bookmark: string | undefined;

type SignInAgain = () => Promise<void>;
let signInAgain: SignInAgain | undefined;
/** The sign-in that is going on: every request that finds the session ended waits for the same one. */
let signingIn: Promise<void> | undefined;
/** How often somebody has signed in again on this page. */
let signIns = 0;

/** Sets what happens when the session has ended: requests wait for it and are then repeated. */
export function onSignedOut(ask: SignInAgain): void {
  signInAgain = ask;
}

/** @param before how often somebody had signed in again when the request was sent */
async function signedInSince(before: number, ask: SignInAgain): Promise<void> {
  if (signIns > before) return;
  signingIn ??= ask().finally(() => {
    signingIn = undefined;
    signIns += 1;
  });
  await signingIn;
}

function headersOf(options: Options): Headers {
  const { method = "GET", body, headers, version, idempotencyKey, account = knownAccount() } = options;
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

/** Of an internal error the service says no more than that there was one. */
const FAULT = "Something went wrong in the service. Try again in a moment.";

async function problemIn(answer: Response): Promise<ApiError> {
  if (answer.status === 500) return new ApiError(500, FAULT);
  const body = await answer.json().catch(() => undefined);
  const detail = (body as { detail?: string } | undefined)?.detail;
  const retryAfter = Number(answer.headers.get("Retry-After"));
  const code = answer.headers.get("Error-Code");
  return new ApiError(answer.status, detail ?? `The service answered ${answer.status}`, {
    ...(retryAfter && { retryAfter }),
    ...(code && { code }),
  });
}

const NO_ANSWER = "The service does not answer";

async function send(path: string, options: Options): Promise<Response> {
  const { method = "GET", query, body, raw, signal } = options;
  const content = raw ?? (body === undefined ? null : JSON.stringify(body));
  const address = addressOf(path, query);
  // What was sent early names no account: the answer to who it is was among it, and is of the same session.
  const begun = method === "GET" ? takeBegun(address) : undefined;
  try {
    return await (begun ??
      fetch(address, {
        method,
        headers: headersOf(options),
        body: content,
        signal: signal ?? null,
        credentials: "same-origin",
      }));
  } catch (problem) {
    if (signal?.aborted) throw problem;
    throw new ApiError(0, navigator.onLine ? NO_ANSWER : "You are offline");
  }
}

/** What an answer says. One that breaks off is none: what was asked for may have been done. */
const jsonIn = (answer: Response, { signal }: Options): Promise<unknown> =>
  answer.json().catch((problem: unknown) => {
    throw signal?.aborted ? problem : new ApiError(0, NO_ANSWER);
  });

/** Sends a request and returns its JSON. Throws ApiError; a session that has ended is asked for first. */
export async function request<T>(path: string, options: Options = {}): Promise<T> {
  const before = signIns;
  const answer = await send(path, options);
  bookmark = answer.headers.get("X-D1-Bookmark") ?? bookmark;
  if (answer.status === 401 && signInAgain && !path.startsWith("/api/auth/login")) {
    await signedInSince(before, signInAgain);
    return request(path, options);
  }
  if (!answer.ok) throw await problemIn(answer);
  const change = answer.headers.get("Change-Id");
  if (change) options.changes?.push(change);
  return answer.status === 204 ? (undefined as T) : ((await jsonIn(answer, options)) as T);
}
