import { randomBytes } from "node:crypto";
import { Command } from "commander";
import { addDays, dayOf } from "../src/contract/days.ts";
import { DOCUMENTS, FOLDERS } from "../src/contract/demo/documents.ts";
import { ago } from "../src/contract/demo/record.ts";
import { RECORDS } from "../src/contract/demo/records.ts";
import { apiUrl } from "./import/url.ts";

// `npm run demo`: fills a new account with a month of realistic data, over HTTP like any other client.

type Options = { url: string; email: string; password?: string; timezone: string; code?: string };
type Call = <Answer>(method: string, path: string, body?: unknown) => Promise<Answer>;

class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** A client of the service; with a token it is signed in. */
function clientOf(url: string, token?: string): Call {
  return async <Answer>(method: string, path: string, body?: unknown) => {
    const response = await fetch(new URL(path, url), {
      method,
      headers: {
        "X-Source-Type": "cli",
        "X-Client-Name": "npm run demo",
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...(token && { Authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = response.status === 204 ? {} : await response.json();
    if (response.ok) return answer as Answer;
    throw new Refusal(response.status, `${method} ${path}: ${(answer as { detail?: string }).detail}`);
  };
}

async function signIn({
  url,
  email,
  password,
  timezone,
  code,
}: Options): Promise<{ token: string; password: string }> {
  const call = clientOf(url);
  const chosen = password ?? randomBytes(12).toString("base64url");
  type Tokens = { access_token: string };
  const fresh = await call<Tokens>("POST", "/api/auth/register", {
    email,
    password: chosen,
    timezone,
    code,
  }).catch((problem: unknown) => {
    if (password && problem instanceof Refusal && problem.status === 400) return null;
    throw problem;
  });
  const tokens = fresh ?? (await call<Tokens>("POST", "/api/auth/login", { email, password: chosen }));
  return { token: tokens.access_token, password: chosen };
}

/** Throws unless the account is empty. */
async function checkEmpty(call: Call): Promise<void> {
  for (const kind of ["documents", "folders", "memories"]) {
    const { total } = await call<{ total: number }>("GET", `/api/${kind}?limit=1`);
    if (total > 0) throw new Error(`This account already has ${total} ${kind}: the demo needs an empty one`);
  }
}

async function makeDocuments(call: Call): Promise<void> {
  const ids = new Map<string, string>();
  for (const [key, name] of Object.entries(FOLDERS)) {
    ids.set(key, (await call<{ id: string }>("POST", "/api/folders", { name })).id);
  }
  for (const { folder, title, tags, text } of DOCUMENTS) {
    const folder_id = folder && ids.get(folder);
    await call("POST", "/api/documents", { title, tags, folder_id, content: { format: "markdown", text } });
  }
}

async function makeRecords(call: Call, timezone: string): Promise<void> {
  const day = (days: number) => addDays(dayOf(new Date(), timezone), days);
  for (const { age, due, steps = [], ...said } of RECORDS) {
    const record = { ...said, created_at: ago(age), ...(due !== undefined && { due_date: day(due) }) };
    const { id } = await call<{ id: number }>("POST", "/api/memories", record);
    for (const { step, wakes_in, ...body } of steps) {
      const deferral = wakes_in === undefined ? {} : { deferred_until: day(wakes_in) };
      await call("POST", `/api/memories/${id}/${step}`, { ...body, ...deferral });
    }
  }
}

async function demo(options: Options): Promise<void> {
  const { token, password } = await signIn(options);
  const call = clientOf(options.url, token);
  await checkEmpty(call);
  await makeDocuments(call);
  await makeRecords(call, (await call<{ timezone: string }>("GET", "/api/auth/me")).timezone);
  console.log(`${DOCUMENTS.length} documents and ${RECORDS.length} records are at ${options.url}`);
  console.log(`email:    ${options.email}\npassword: ${password}`);
}

const { url, ...options } = new Command("demo")
  .description("Fills a new account with a month of realistic documents and records")
  .option("--url <url>", "address of the service", "http://localhost:8000")
  .option("--email <email>", "the account; created if it does not exist", "demo@example.com")
  .option("--password <password>", "its password; a new account gets a random one")
  .option("--timezone <zone>", "its time zone", Intl.DateTimeFormat().resolvedOptions().timeZone)
  .option("--code <code>", "what stands behind # in an invitation or set-up link")
  .parse()
  .opts<Options>();

await demo({ ...options, url: apiUrl(url) }).catch((problem: Error) => {
  console.error(problem.message);
  process.exitCode = 1;
});
