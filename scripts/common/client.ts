import { setTimeout as sleep } from "node:timers/promises";
import type { TokenAnswer } from "../../src/contract/auth.ts";
import { type Client, Refused, type Request, Stopped } from "../../src/contract/import/client.ts";
import { messageOf } from "../../src/contract/import/item.ts";

// A client of the API: signs in, renews its token, and retries requests that got no answer.

/** A service and an account on it, by API key or by password. `program` is the name in the list of sessions. */
export type Account = { url: string; program: string } & (
  | { key: string }
  | { email: string; password: string }
);

export type SignedInClient = Client & {
  /** The service's own time at sign-in, to the second. */
  signedInAt: Date;
  /** Ends the session, where there is one. */
  end: () => Promise<void>;
};

/** Milliseconds to wait after each attempt; after the last one the service is presumed unreachable. */
const WAITS = [250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000, 10_000, 10_000];
/** A slow machine needs a while for a hundred documents. */
const TIMEOUT_MS = 120_000;
/** How long before its expiry an access token is renewed. */
const MARGIN_MS = 60_000;

/** Longer than any rate limit per minute asks for. */
const MAX_WAIT_MS = 120_000;

type Answer = { status: number; headers: Headers; text: string };

async function exchange(url: string, { method, body, headers }: Request, token?: string): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: {
      ...headers,
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...(token && { Authorization: `Bearer ${token}` }),
    },
    body: body === undefined ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** The wait that `Retry-After` asks for in milliseconds (RFC 9110 section 10.2.3), if any. */
export function retryAfter(header: string | null, now = Date.now()): number | undefined {
  if (header === null) return undefined;
  const wait = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}

/** Nothing was changed, and a later attempt may succeed. */
const REPEATABLE = [429, 503];
/** A proxy could not reach the service: treated like no answer. */
const NO_ANSWER = [502, 504];

/** Sends a request once. Returns undefined if there was no answer. */
async function attempt(url: string, request: Request, token?: string): Promise<Answer | undefined> {
  const answer = await exchange(url, request, token).catch(() => undefined);
  return answer && NO_ANSWER.includes(answer.status) ? undefined : answer;
}

/** Called with the reason while a request waits for its retry, and without one when it continues. */
export type OnWait = (why?: string) => void;

const reasonFor = (answer: Answer | undefined, wait: number) =>
  answer?.status === 429
    ? `waiting ${Math.ceil(wait / 1000)} s because of the rate limit`
    : "waiting for the service to answer";

type Send = (url: string, request: Request, token?: string) => Promise<Answer>;

/** Sends until there is an answer that another attempt would not change. */
const persistent =
  (onWait: OnWait): Send =>
  async (url, request, token) => {
    for (const usual of WAITS) {
      const answer = await attempt(url, request, token);
      if (answer && !REPEATABLE.includes(answer.status)) return answer;
      const asked = retryAfter(answer?.headers.get("Retry-After") ?? null);
      if (asked && asked > MAX_WAIT_MS)
        throw new Stopped(`The service accepts no more requests for ${Math.ceil(asked / 60_000)} minutes`);
      const wait = asked ?? usual * (0.75 + Math.random() / 2);
      onWait(reasonFor(answer, wait));
      await sleep(wait);
      onWait();
    }
    throw new Stopped(`${new URL(url).origin} no longer answers`);
  };

/** An answer's JSON. Throws `Refused` with its `detail` for a refusal. */
function bodyOf<Body>({ status, text }: Answer): Body {
  if (status < 300) return (text === "" ? undefined : JSON.parse(text)) as Body;
  let detail = `the service answered ${status}`;
  try {
    detail = JSON.parse(text).detail ?? detail;
  } catch {
    // Not an answer of the service.
  }
  throw new Refused(status, detail);
}

const post = (body: unknown, headers: Record<string, string> = {}): Request => ({
  method: "POST",
  path: "",
  body,
  headers,
});

/** What authenticates requests. */
type Credential = {
  token: () => Promise<string>;
  /** A new credential after the service has refused one. Throws `Stopped` if there is none. */
  renewed: (refused: string) => Promise<string>;
  end: () => Promise<void>;
};

const byKey = (key: string): Credential => ({
  token: async () => key,
  renewed: async () => {
    throw new Stopped(
      "The service does not accept the API key: it was revoked, has expired, or belongs to another service",
    );
  },
  end: async () => {},
});

type Session = { base: string; program: string; email: string; password: string; persist: Send };

/** Signs in, and again if the session has ended. Throws `Stopped` if that fails. */
async function bySession({ base, program, email, password, persist }: Session): Promise<Credential> {
  const headers = { "User-Agent": program };
  let tokens: TokenAnswer;
  let renewAt = 0;
  let renewal: Promise<void> | undefined;

  const keep = (answer: Answer) => {
    tokens = bodyOf<TokenAnswer>(answer);
    renewAt = Date.now() + tokens.expires_in * 1000 - MARGIN_MS;
  };
  const signIn = async () => {
    const answer = await persist(`${base}/api/auth/login`, post({ email, password }, headers));
    try {
      keep(answer);
    } catch (problem) {
      throw new Stopped(`Sign-in failed: ${messageOf(problem)}`);
    }
  };
  const renew = async () => {
    const { refresh_token } = tokens;
    const answer = await persist(`${base}/api/auth/refresh`, post({ refresh_token }, headers));
    if (answer.status < 300) keep(answer);
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
    renewed: async (refused) => {
      if (tokens.access_token === refused) await renewOnce();
      return tokens.access_token;
    },
    end: async () => {
      await attempt(`${base}/api/auth/logout`, post({ refresh_token: tokens.refresh_token }, headers));
    },
  };
}

/** The current time on the clock of the service, which may differ from ours. Throws `Stopped` if nothing answers. */
async function clockOf(base: string): Promise<Date> {
  // No retries: the address may be mistyped.
  const { headers } = await fetch(`${base}/health`).catch(() => {
    throw new Stopped(`Nothing answers at ${base}: is the service running?`);
  });
  return new Date(headers.get("Date") ?? Date.now());
}

/** Signs in and returns a client for the account. Throws `Stopped` if that fails. */
export async function connect(account: Account, onWait: OnWait = () => {}): Promise<SignedInClient> {
  const { url: base, program } = account;
  const persist = persistent(onWait);
  const signedInAt = await clockOf(base);
  const credential = "key" in account ? byKey(account.key) : await bySession({ ...account, base, persist });
  const send = async <Body>(request: Request): Promise<Body> => {
    const used = await credential.token();
    const named = { ...request, headers: { "User-Agent": program, ...request.headers } };
    const answer = await persist(base + request.path, named, used);
    if (answer.status !== 401) return bodyOf<Body>(answer);
    return bodyOf<Body>(await persist(base + request.path, named, await credential.renewed(used)));
  };
  return { send, signedInAt, end: credential.end };
}
