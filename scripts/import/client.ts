import { setTimeout as sleep } from "node:timers/promises";
import { decodeJwt } from "jose";
import type { TokenAnswer } from "../../src/auth/schema.ts";
import { messageOf } from "./item.ts";

// An ordinary client of the API: signs in, keeps its token fresh, and repeats what did not get through.

/** A request that the service refused. */
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Nothing more can be written: the service is away, or does not let us in. */
export class Stopped extends Error {}

/** Nobody knows whether the request was done: the connection broke before the answer. */
export class Unanswered extends Error {}

export type Account = { url: string; email: string; password: string };

export type Request = {
  method: "GET" | "POST" | "PUT";
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** Whether sending it twice does harm. Without an answer it then ends in `Unanswered`. */
  once?: boolean;
};

export type Client = {
  /** Sends a request as the account. Throws `Refused`, `Stopped`, or `Unanswered`. */
  send: <Body>(request: Request) => Promise<Body>;
  /** The service's own time when it let us in, cut to the second. */
  signedInAt: Date;
};

/** Milliseconds after each attempt; after the last one the service counts as away. */
const WAITS = [250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000, 10_000, 10_000];
const TIMEOUT_MS = 60_000;
/** How long before its end an access token is renewed. */
const MARGIN_MS = 60_000;

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

/** What `Retry-After` asks for in milliseconds (RFC 9110 section 10.2.3), if it is there. */
export function retryAfter(header: string | null, now = Date.now()): number | undefined {
  if (header === null) return undefined;
  const wait = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}

/** Nothing was done, and later it may be. */
const REPEATABLE = [429, 503];
/** What a proxy answers when it lost the service: as good as no answer. */
const NO_ANSWER = [502, 504];

/** Sends once. Answers undefined when no answer came back. */
async function attempt(url: string, request: Request, token?: string): Promise<Answer | undefined> {
  const answer = await exchange(url, request, token).catch(() => undefined);
  return answer && NO_ANSWER.includes(answer.status) ? undefined : answer;
}

/** Sends until there is an answer that another attempt would not change. */
async function persist(url: string, request: Request, token?: string): Promise<Answer> {
  for (const wait of WAITS) {
    const answer = await attempt(url, request, token);
    if (answer && !REPEATABLE.includes(answer.status)) return answer;
    if (!answer && request.once) throw new Unanswered(`No answer to ${request.method} ${url}`);
    const asked = retryAfter(answer?.headers.get("Retry-After") ?? null);
    await sleep(asked ?? wait * (0.75 + Math.random() / 2));
  }
  throw new Stopped(`${new URL(url).origin} does not answer any more`);
}

/** An answer's JSON. Throws `Refused` with its `detail` for a refusal. */
function bodyOf<Body>({ status, text }: Answer): Body {
  if (status < 300) return (text === "" ? undefined : JSON.parse(text)) as Body;
  let detail = `the service answered ${status}`;
  try {
    detail = JSON.parse(text).detail ?? detail;
  } catch {
    // Not our service's own words.
  }
  throw new Refused(status, detail);
}

const post = (path: string, body: unknown): Request => ({ method: "POST", path, body });

/** Signs in and answers a client. Throws `Stopped` when that fails. */
export async function connect({ url, email, password }: Account): Promise<Client> {
  const base = url.replace(/\/+$/, "");
  let tokens: TokenAnswer;
  let renewAt = 0;
  let renewal: Promise<void> | undefined;

  const keep = (answer: Answer) => {
    tokens = bodyOf<TokenAnswer>(answer);
    renewAt = Date.now() + tokens.expires_in * 1000 - MARGIN_MS;
    return tokens;
  };
  const signIn = async () => {
    const answer = await persist(`${base}/api/auth/login`, post("", { email, password }));
    try {
      return keep(answer);
    } catch (problem) {
      throw new Stopped(`Sign-in failed: ${messageOf(problem)}`);
    }
  };
  const renew = async () => {
    const answer = await persist(
      `${base}/api/auth/refresh`,
      post("", { refresh_token: tokens.refresh_token }),
    );
    if (answer.status < 300) keep(answer);
    else await signIn();
  };
  const renewOnce = () => {
    renewal ??= renew().finally(() => {
      renewal = undefined;
    });
    return renewal;
  };

  // Whoever mistyped the address should not wait for the repetitions.
  await fetch(`${base}/health`).catch(() => {
    throw new Stopped(`Nothing answers at ${base}: is the service running?`);
  });
  const { access_token } = await signIn();
  // The token says when by the service's own clock, which may differ from ours.
  const signedInAt = new Date((decodeJwt(access_token).iat ?? 0) * 1000);
  const send = async <Body>(request: Request): Promise<Body> => {
    if (Date.now() > renewAt) await renewOnce();
    const used = tokens.access_token;
    const answer = await persist(base + request.path, request, used);
    if (answer.status !== 401) return bodyOf<Body>(answer);
    if (tokens.access_token === used) await renewOnce();
    return bodyOf<Body>(await persist(base + request.path, request, tokens.access_token));
  };
  return { send, signedInAt };
}
