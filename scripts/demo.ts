import { randomBytes, randomUUID } from "node:crypto";
import { Command } from "commander";
import { addDays, localDay } from "../src/contract/days.ts";
import { DEMO_DOCUMENTS, DEMO_FOLDERS } from "../src/shared/demo/documents.ts";
import { DEMO_RECORDS, daysAgo } from "../src/shared/demo/records.ts";
import { type ApiClient, type ApiRequest, RequestRejectedError } from "../src/shared/import/client.ts";
import { anonymousClient, fetchServiceTime, signInClient } from "./common/client.ts";
import { RetriesExhausted } from "./common/retry.ts";
import { showWait } from "./common/show-wait.ts";
import { normalizeApiUrl } from "./import/account.ts";

// `npm run demo`: fills a new account with a month of realistic data, over HTTP like any other client.

type Options = { url: string; email: string; password?: string; timezone: string; code?: string };
type Call = <Answer>(method: ApiRequest["method"], path: string, body?: unknown) => Promise<Answer>;

const HEADERS = { "X-Source-Type": "cli", "X-Client-Name": "npm run demo" };

/** Returns the function that sends requests. Each has an idempotency key, so that a retried change is made once. */
const createCall =
  ({ send }: ApiClient): Call =>
  (method, path, body) =>
    send({ method, path, body, headers: { ...HEADERS, "Idempotency-Key": randomUUID() } });

/** Signs in to the account. Creates it if it does not exist. */
async function signInOrRegister({ url, email, password, timezone, code }: Options) {
  const chosen = password ?? randomBytes(12).toString("base64url");
  const register = { method: "POST", path: "/api/auth/register", headers: HEADERS } as const;
  await fetchServiceTime(url);
  let wasRepeated = false;
  const onWait = (why?: string) => {
    wasRepeated = true;
    showWait(why);
  };
  const problem = await anonymousClient(url, onWait)
    .send({ ...register, body: { email, password: chosen, timezone, code } })
    .then(() => undefined)
    .catch((refused: unknown) => refused);
  const mayExist = problem instanceof RequestRejectedError && problem.status === 400;
  // With a random password, the account can only exist because the answer to an earlier attempt was lost.
  if (problem !== undefined && !(mayExist && (password || wasRepeated))) throw problem;
  const client = await signInClient({ url, email, password: chosen, program: "Commonplace demo" }, showWait);
  return { client, password: chosen };
}

/** Throws unless the account is empty. */
async function checkEmpty(call: Call): Promise<void> {
  for (const kind of ["documents", "folders", "memories"]) {
    const { total } = await call<{ total: number }>("GET", `/api/${kind}?limit=1`);
    if (total > 0) throw new Error(`This account already has ${total} ${kind}: the demo needs an empty one`);
  }
}

async function createDocuments(call: Call): Promise<void> {
  const ids = new Map<string, string>();
  for (const [key, name] of Object.entries(DEMO_FOLDERS)) {
    ids.set(key, (await call<{ id: string }>("POST", "/api/folders", { name })).id);
  }
  for (const { folder, title, tags, text } of DEMO_DOCUMENTS) {
    const folder_id = folder && ids.get(folder);
    await call("POST", "/api/documents", { title, tags, folder_id, content: { format: "markdown", text } });
  }
}

async function createRecords(call: Call, timezone: string): Promise<void> {
  const day = (days: number) => addDays(localDay(new Date(), timezone), days);
  for (const { age, due, steps = [], ...fields } of DEMO_RECORDS) {
    const record = { ...fields, created_at: daysAgo(age), ...(due !== undefined && { due_date: day(due) }) };
    const { id } = await call<{ id: number }>("POST", "/api/memories", record);
    for (const { step, wakes_in, ...body } of steps) {
      const deferral = wakes_in === undefined ? {} : { deferred_until: day(wakes_in) };
      await call("POST", `/api/memories/${id}/${step}`, { ...body, ...deferral });
    }
  }
}

async function demo(options: Options): Promise<void> {
  const { client, password } = await signInOrRegister(options);
  const call = createCall(client);
  try {
    await checkEmpty(call);
    await createDocuments(call);
    await createRecords(call, (await call<{ timezone: string }>("GET", "/api/auth/me")).timezone);
  } finally {
    await client.end();
  }
  console.log(`${DEMO_DOCUMENTS.length} documents and ${DEMO_RECORDS.length} records are at ${options.url}`);
  console.log(`email:    ${options.email}\npassword: ${password}`);
}

const { url, ...options } = new Command("demo")
  .description("Fills a new account with a realistic month of sample data")
  .option("--url <url>", "address of the service", "http://localhost:8000")
  .option("--email <email>", "the account; created if it does not exist", "demo@example.com")
  .option("--password <password>", "its password; a new account gets a random one")
  .option("--timezone <zone>", "its time zone", Intl.DateTimeFormat().resolvedOptions().timeZone)
  .option("--code <code>", "the part after # in an invitation or set-up link")
  .parse()
  .opts<Options>();

const RETRY_HINT = "Run the command again with another --email: an incomplete demo cannot be continued.";

await demo({ ...options, url: normalizeApiUrl(url) }).catch((problem: Error) => {
  console.error(problem instanceof RetriesExhausted ? `${problem.message}. ${RETRY_HINT}` : problem.message);
  process.exitCode = 1;
});
