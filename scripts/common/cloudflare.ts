import { spawnSync } from "node:child_process";
import type { SqlRow, TextStatement, WritableDatabase } from "./local-database.ts";
import { parseRetryAfter, retryUntilAnswered, TransientError } from "./retry.ts";
import { showWait } from "./show-wait.ts";
import { readWranglerConfig, WRANGLER_CLI, type WranglerConfig, wranglerEnvironment } from "./wrangler.ts";

// D1's HTTP API: https://developers.cloudflare.com/api/resources/d1/subresources/database/methods/query/
// Plain fetch: the official `cloudflare` package is 120 MB unpacked, and this is three of its thousands of calls.

const BASE = "https://api.cloudflare.com/client/v4";
const TIMEOUT_MS = 120_000;

type Headers = Record<string, string>;
type Answer<Result> = {
  success: boolean;
  result: Result;
  result_info?: { cursor?: string };
  errors: { code: number; message: string }[];
};
type Environment = NodeJS.ProcessEnv;
type Method = "POST" | "PUT" | "DELETE";

/** An account on Cloudflare, and the deployment in it as wrangler.toml describes it. */
export type CloudflareClient = {
  /** Retries, so for reads and idempotent writes only. Returns the result; throws with the API's message. */
  call: <Result>(path: string, body?: unknown, method?: Method) => Promise<Result>;
  /** Calls once for each page of a list. */
  pages: <Item>(path: string, query: Record<string, string>) => AsyncGenerator<Item[]>;
  /** Sends a request once, for answers that are not JSON. */
  send: (path: string, init?: RequestInit) => Promise<Response>;
  account: string;
  config: WranglerConfig;
};

/** An error answer of the API. */
export class CloudflareError extends Error {
  readonly status: number;
  readonly codes: number[];

  constructor(status: number, errors: Answer<unknown>["errors"]) {
    super(`Cloudflare rejected the request: ${errors.map(({ message }) => message).join("; ")}`);
    this.status = status;
    this.codes = errors.map(({ code }) => code);
  }
}

/** The result of a request; undefined for 404. */
export const undefinedIfMissing = <Result>(request: Promise<Result>): Promise<Result | undefined> =>
  request.catch((problem: unknown) => {
    if (problem instanceof CloudflareError && problem.status === 404) return undefined;
    throw problem;
  });

/** Authentication headers, from CLOUDFLARE_API_TOKEN or `wrangler login`. */
function authHeaders(environment: Environment): Headers {
  const { CLOUDFLARE_API_TOKEN: token } = environment;
  if (token) return { Authorization: `Bearer ${token}` };
  const { status, stdout, stderr } = spawnSync(process.execPath, [WRANGLER_CLI, "auth", "token", "--json"], {
    env: wranglerEnvironment(),
    encoding: "utf8",
  });
  if (status !== 0) {
    throw new Error(`Set CLOUDFLARE_API_TOKEN, or run \`npx wrangler login\` first:\n${stdout}${stderr}`);
  }
  const login = JSON.parse(stdout) as { token?: string; key: string; email: string };
  return login.token
    ? { Authorization: `Bearer ${login.token}` }
    : { "X-Auth-Key": login.key, "X-Auth-Email": login.email };
}

const NO_ANSWER = "waiting for Cloudflare to answer";

function parseAnswer<Result>(text: string, status: number): Answer<Result> {
  try {
    return JSON.parse(text) as Answer<Result>;
  } catch {
    return { success: false, errors: [{ code: status, message: `HTTP ${status}` }] } as Answer<Result>;
  }
}

/** Sends a request once. Throws `TransientError` if a retry may succeed, and `CloudflareError` otherwise. */
async function attempt<Result>(url: string, init: RequestInit): Promise<Answer<Result>> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(url, { ...init, signal }).catch(() => {
    throw new TransientError(NO_ANSWER);
  });
  const { status, headers } = response;
  if (status === 429 || status >= 500)
    throw new TransientError(NO_ANSWER, parseRetryAfter(headers.get("Retry-After")));
  const text = await response.text().catch(() => {
    throw new TransientError(NO_ANSWER);
  });
  const answer = parseAnswer<Result>(text, status);
  if (answer.success) return answer;
  throw new CloudflareError(status, answer.errors);
}

function createClient(base: string, credential: Headers): Pick<CloudflareClient, "call" | "pages" | "send"> {
  const headers = { ...credential, "Content-Type": "application/json" };
  const answerTo = <Result>(path: string, body?: unknown, method?: Method) => {
    const init: RequestInit =
      body === undefined
        ? { headers, method: method ?? "GET" }
        : { headers, method: method ?? "POST", body: JSON.stringify(body) };
    return retryUntilAnswered(() => attempt<Result>(base + path, init), { who: base, onWait: showWait });
  };
  return {
    call: async <Result>(path: string, body?: unknown, method?: Method) =>
      (await answerTo<Result>(path, body, method)).result,
    pages: async function* <Item>(path: string, query: Record<string, string>) {
      for (let cursor: string | undefined = ""; cursor !== undefined; ) {
        const search = new URLSearchParams({ ...query, ...(cursor && { cursor }) });
        const { result, result_info }: Answer<Item[]> = await answerTo(`${path}?${search}`);
        yield result;
        cursor = result_info?.cursor || undefined;
      }
    },
    send: (path, init) => fetch(base + path, { ...init, headers: credential }),
  };
}

/** The configured account, or the only one that the token can access. */
async function findAccountId(call: CloudflareClient["call"], named: string | undefined): Promise<string> {
  if (named) return named;
  const accounts = await call<{ id: string; name: string }[]>("/accounts");
  const [only] = accounts;
  if (only && accounts.length === 1) return only.id;
  const choice = accounts.map(({ id, name }) => `${id} (${name})`).join(", ");
  throw new Error(`Set CLOUDFLARE_ACCOUNT_ID to one of: ${choice}`);
}

type DatabaseEntry = { uuid: string; name: string };

/** The id of the database with this name, if it exists. */
export async function findDatabaseId(
  { call, account }: CloudflareClient,
  name: string,
): Promise<string | undefined> {
  const path = `/accounts/${account}/d1/database?${new URLSearchParams({ name })}`;
  return (await call<DatabaseEntry[]>(path)).find((one) => one.name === name)?.uuid;
}

/** A database's entry in wrangler.toml. Throws if there is no such binding. */
export function requireDatabaseEntry({ d1_databases }: WranglerConfig, binding: string) {
  const bound = d1_databases.find((one) => one.binding === binding);
  if (bound) return bound;
  throw new Error(`HOMES contains ${binding}, which is not among the d1_databases of wrangler.toml`);
}

/** The id of the database with this binding. Throws if the account has no such database. */
export async function requireDatabaseId(cloudflare: CloudflareClient, binding: string): Promise<string> {
  const { database_id, database_name } = requireDatabaseEntry(cloudflare.config, binding);
  const id = database_id ?? (await findDatabaseId(cloudflare, database_name));
  if (!id)
    throw new Error(`The account has no database ${database_name}: create it, or name one with --database`);
  return id;
}

/** Signs in to Cloudflare. Throws if the token is missing or the account is ambiguous. */
export async function signInToCloudflare(environment: Environment): Promise<CloudflareClient> {
  const config = readWranglerConfig();
  const client = createClient(environment.CLOUDFLARE_API_BASE_URL ?? BASE, authHeaders(environment));
  const named = environment.CLOUDFLARE_ACCOUNT_ID ?? config.account_id;
  return { ...client, config, account: await findAccountId(client.call, named) };
}

/** A database on Cloudflare. */
export function remoteDatabase({ call, account }: CloudflareClient, id: string): WritableDatabase {
  const path = `/accounts/${account}/d1/database/${id}/query`;
  return {
    query: async (sql, params = []) =>
      (await call<[{ results: SqlRow[] }]>(path, { sql, params }))[0].results,
    batch: async (batch: TextStatement[]) =>
      (await call<{ results: SqlRow[] }[]>(path, { batch })).map(({ results }) => results),
    close: () => undefined,
  };
}
