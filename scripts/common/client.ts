import type { TokenAnswer } from "../../src/contract/auth.ts";
import { isTransientStatus } from "../../src/contract/error-codes.ts";
import {
  type ApiClient,
  type ApiRequest,
  ClientStoppedError,
  RequestRejectedError,
} from "../../src/shared/import/client.ts";
import { errorMessage } from "../../src/shared/import/item.ts";
import { type OnWait, parseRetryAfter, retryUntilAnswered, TransientError } from "./retry.ts";
import { showWait } from "./show-wait.ts";

// A client of the API. It signs in, renews its token and retries requests that got no answer.

type Service = { url: string; program: string };
type PasswordLogin = Service & { email: string; password: string };

/** A service and how to sign in to it. `program` is the name shown in the list of sessions. */
export type AccountLogin = (Service & { key: string }) | PasswordLogin;

export type SignedInClient = ApiClient & {
  /** The service's clock at sign-in, to the second. */
  signedInAt: Date;
  /** Ends the session; does nothing for an API key. */
  end: () => Promise<void>;
};

/** A slow machine needs a while for a hundred documents. */
const TIMEOUT_MS = 120_000;
const RENEWAL_MARGIN_MS = 60_000;

type RawAnswer = { status: number; headers: Headers; text: string };

async function sendRequest(
  url: string,
  { method, body, raw, headers }: ApiRequest,
  token?: string,
): Promise<RawAnswer> {
  const response = await fetch(url, {
    method,
    headers: {
      ...headers,
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...(token && { Authorization: `Bearer ${token}` }),
    },
    body: raw ?? (body === undefined ? null : JSON.stringify(body)),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const NO_ANSWER = "waiting for the service to answer";

/** Whether a retry may succeed. With an Idempotency-Key, 409 means that an earlier attempt is still running. */
const isTransient = ({ status }: RawAnswer, { headers }: ApiRequest) =>
  isTransientStatus(status) || (status === 409 && headers?.["Idempotency-Key"] !== undefined);

/** Sends a request once. Throws `TransientError` without an answer, or for one that a retry may change. */
async function attempt(url: string, request: ApiRequest, token?: string): Promise<RawAnswer> {
  const answer = await sendRequest(url, request, token).catch(() => {
    throw new TransientError(NO_ANSWER);
  });
  if (!isTransient(answer, request)) return answer;
  const wait = parseRetryAfter(answer.headers.get("Retry-After"));
  const rateLimitReason = `waiting ${Math.ceil((wait ?? 0) / 1000)} s because of the rate limit`;
  throw new TransientError(answer.status === 429 ? rateLimitReason : NO_ANSWER, wait);
}

type Send = (url: string, request: ApiRequest, token?: string) => Promise<RawAnswer>;

const withRetries =
  (onWait: OnWait): Send =>
  (url, request, token) =>
    retryUntilAnswered(() => attempt(url, request, token), { who: new URL(url).origin, onWait });

/** The JSON of an answer. Throws with its `detail` for an error. */
function parseBody<Body>({ status, text }: RawAnswer): Body {
  if (status < 300) return (text === "" ? undefined : JSON.parse(text)) as Body;
  let detail = `the service answered ${status}`;
  try {
    detail = JSON.parse(text).detail ?? detail;
  } catch {
    // The body is not from the service, for example from a proxy.
  }
  throw new RequestRejectedError(status, detail);
}

const postRequest = (body: unknown, headers: Record<string, string> = {}): ApiRequest => ({
  method: "POST",
  path: "",
  body,
  headers,
});

type Credential = {
  token: () => Promise<string>;
  /** A new token after a 401 for this one. Throws if there is none. */
  renewAfter401: (refused: string) => Promise<string>;
  end: () => Promise<void>;
};

const keyCredential = (key: string): Credential => ({
  token: async () => key,
  renewAfter401: async () => {
    throw new ClientStoppedError(
      "The service does not accept the API key: it was revoked, has expired, or belongs to another service",
    );
  },
  end: async () => {},
});

/** Signs in, and signs in again if the session has ended. Throws if sign-in fails. */
async function sessionCredential(
  { url: base, program, email, password }: PasswordLogin,
  sendWithRetries: Send,
): Promise<Credential> {
  const headers = { "User-Agent": program };
  let tokens: TokenAnswer;
  let renewAt = 0;
  let renewal: Promise<void> | undefined;

  const storeTokens = (answer: RawAnswer) => {
    tokens = parseBody<TokenAnswer>(answer);
    renewAt = Date.now() + tokens.expires_in * 1000 - RENEWAL_MARGIN_MS;
  };
  const signIn = async () => {
    const answer = await sendWithRetries(`${base}/api/auth/login`, postRequest({ email, password }, headers));
    try {
      storeTokens(answer);
    } catch (problem) {
      throw new ClientStoppedError(`Sign-in failed: ${errorMessage(problem)}`);
    }
  };
  const renew = async () => {
    const { refresh_token } = tokens;
    const answer = await sendWithRetries(`${base}/api/auth/refresh`, postRequest({ refresh_token }, headers));
    if (answer.status < 300) storeTokens(answer);
    else await signIn();
  };
  const renewOnce = () => {
    renewal ??= renew().finally(() => {
      renewal = undefined;
    });
    return renewal;
  };
  await signIn();
  return {
    token: async () => {
      if (Date.now() > renewAt) await renewOnce();
      return tokens.access_token;
    },
    renewAfter401: async (refused) => {
      if (tokens.access_token === refused) await renewOnce();
      return tokens.access_token;
    },
    end: async () => {
      const logout = postRequest({ refresh_token: tokens.refresh_token }, headers);
      // No retries: an abandoned session expires.
      await attempt(`${base}/api/auth/logout`, logout).catch(() => undefined);
    },
  };
}

/** The current time on the service's clock, which may differ from ours. Throws if nothing answers. */
export async function fetchServiceTime(base: string): Promise<Date> {
  // No retries: the address may be mistyped.
  const { headers } = await fetch(`${base}/health`).catch(() => {
    throw new ClientStoppedError(`Nothing answers at ${base}: is the service running?`);
  });
  return new Date(headers.get("Date") ?? Date.now());
}

/** A client that is not signed in. */
export const anonymousClient = (base: string, onWait: OnWait): ApiClient => ({
  send: async (request) => parseBody(await withRetries(onWait)(base + request.path, request)),
});

/** Signs in and returns a client for the account. Throws if sign-in fails. */
export async function signInClient(
  account: AccountLogin,
  onWait: OnWait = () => {},
): Promise<SignedInClient> {
  const { url: base, program } = account;
  const sendWithRetries = withRetries(onWait);
  const signedInAt = await fetchServiceTime(base);
  const credential =
    "key" in account ? keyCredential(account.key) : await sessionCredential(account, sendWithRetries);
  const send = async <Body>(request: ApiRequest): Promise<Body> => {
    const token = await credential.token();
    const requestWithAgent = { ...request, headers: { "User-Agent": program, ...request.headers } };
    const sendWith = (bearer: string) => sendWithRetries(base + request.path, requestWithAgent, bearer);
    const answer = await sendWith(token);
    if (answer.status !== 401) return parseBody<Body>(answer);
    return parseBody<Body>(await sendWith(await credential.renewAfter401(token)));
  };
  return { send, signedInAt, end: credential.end };
}

/** Calls `use` with a client for the account, and then ends its session. */
export async function withClient<Result>(
  account: AccountLogin,
  use: (client: SignedInClient) => Promise<Result>,
): Promise<Result> {
  const client = await signInClient(account, showWait);
  return use(client).finally(client.end);
}
