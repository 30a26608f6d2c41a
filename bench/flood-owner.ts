import { register } from "../test/e2e/service.ts";
import type { Urls } from "./operations.ts";

// An account of the floods, and what it has.

export const PASSWORD = "a password for the bench";

const JSON_TYPE = { "Content-Type": "application/json" };

/** How long an access token is used, which is valid for 15 minutes. */
const TOKEN_MS = 480_000;

export type Tokens = { access_token: string; refresh_token: string };

export type Owner = Urls & {
  email: string;
  /** The headers of its requests. */
  headers: () => Record<string, string>;
  /** Signs in again, if its token will soon be too old. */
  renew: () => Promise<void>;
  /** Sends a request. Throws unless it succeeds. */
  ask: <Answer>(method: string, path: string, init?: Init) => Promise<Answer>;
  /** Notes what it has, by the name of the parameter that takes it. */
  add: (kind: string, ids: (string | number)[]) => void;
  /** The next of what it has of a kind; the first again after the last. */
  next: (kind: string) => string | number | undefined;
};

type Init = { body?: unknown; headers?: Record<string, string> };

const isRaw = (body: unknown): body is string | Buffer => typeof body === "string" || Buffer.isBuffer(body);

/** The bytes of a body, which is JSON unless it is a text or bytes already. */
export const bytesOf = (body: unknown): string | Buffer => (isRaw(body) ? body : JSON.stringify(body));

/** Signs somebody in. */
export async function signIn(apiUrl: string, email: string): Promise<Tokens> {
  const body = JSON.stringify({ email, password: PASSWORD });
  const answer = await fetch(`${apiUrl}/api/auth/login`, { method: "POST", headers: JSON_TYPE, body });
  if (!answer.ok) throw new Error(`login: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Tokens;
}

/** What an account has, each used in turn. */
function things(): Pick<Owner, "add" | "next"> {
  const kept = new Map<string, (string | number)[]>();
  return {
    add: (kind, ids) => void kept.set(kind, [...(kept.get(kind) ?? []), ...ids]),
    next: (kind) => {
      const ids = kept.get(kind) ?? [];
      const id = ids.shift();
      if (id !== undefined) ids.push(id);
      return id;
    },
  };
}

/** Registers an account. */
export async function newOwner(urls: Urls, name: string): Promise<Owner> {
  const email = `${name.toLowerCase()}@example.com`;
  let token = await register(urls.apiUrl, { email, password: PASSWORD });
  let since = performance.now();
  const headers = () => ({ Authorization: `Bearer ${token}` });
  const renew = async () => {
    if (performance.now() - since < TOKEN_MS) return;
    since = performance.now();
    token = (await signIn(urls.apiUrl, email)).access_token;
  };
  const ask = async <Answer>(method: string, path: string, init: Init = {}): Promise<Answer> => {
    const answer = await fetch(urls.apiUrl + path, {
      method,
      headers: { ...JSON_TYPE, ...headers(), ...init.headers },
      ...(init.body !== undefined && { body: bytesOf(init.body) as string }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`);
    return (answer.headers.get("Content-Type")?.includes("/json") ? JSON.parse(text) : text) as Answer;
  };
  return { ...urls, email, headers, renew, ask, ...things() };
}

/** A list of as many things. */
export const repeated = <Item>(count: number, make: (number: number) => Item): Item[] =>
  Array.from({ length: count }, (_, number) => make(number));
