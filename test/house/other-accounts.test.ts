import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { listActivityRoute } from "../../src/features/activity/routes.ts";
import { changeMemoriesRoute } from "../../src/features/memories/routes.ts";
import { type Client, person, visitor } from "../kit/client.ts";
import { meteredClient } from "../kit/database.ts";
import { type Offered, OPERATIONS } from "../kit/description.ts";
import { exampleOf, isPublic } from "../kit/examples.ts";
import { type Belongings, belongings, EXAMPLE_EMAIL } from "../kit/named.ts";
import { NOBODYS_ID } from "../kit/operations.ts";

// In every operation that takes an id, one of another account is answered like one that does not exist; and no operation
// shows or reads what another account has.

const IDS = /_id$|^by$|^name$/;
const NOBODYS: Record<string, string> = { memory_id: "9999", name: "nothing", connection_id: "nothing" };

/** These headers would be checked before the id, or store the answer. */
const CONDITIONS = /^(if-.*|idempotency-key)$/i;

/** Detaching succeeds even if nothing was attached. */
const DETACHING = /^detachFrom/;

type Case = { offered: Offered; id: string; isInPath: boolean };

/** An operation with each id that it takes. */
async function casesOf(offered: Offered): Promise<Case[]> {
  const cases = new Map<string, Case>();
  const note: Belongings = (id) => {
    const isInPath = offered.path.includes(`{${id}}`);
    // The ids in the body of a sign-in belong to its credential.
    if (IDS.test(id) && (isInPath || !offered.operation.tags?.includes("Sign-in")))
      cases.set(id, { offered, id, isInPath });
    return undefined;
  };
  await exampleOf(offered, note, true);
  return [...cases.values()];
}

/** The answer to an account that sends this id, and otherwise ids of its own resources. */
async function answerTo(ada: Client, own: Belongings, { offered, id }: Case, value: string) {
  const ids: Belongings = (name) => (name === id ? Promise.resolve(value) : own(name));
  const parts = await exampleOf(offered, ids, true);
  const headers = Object.entries(parts.headers ?? {}).filter(([name]) => !CONDITIONS.test(name));
  const { status, text } = await ada.call(offered.route, { ...parts, headers: Object.fromEntries(headers) });
  return { status, text: text.replaceAll(value, "") };
}

/** How many cases one person tries, which is fewer requests than the limit for a minute. */
const CASES_OF_ONE = 10;

const PRIVATE = OPERATIONS.filter((one) => !isPublic(one));

/** Another account, with one of everything. */
async function other() {
  const bob = await person({ email: EXAMPLE_EMAIL });
  // Records are numbered per account, so Bob gets more of them than the others have.
  const record = { operation: "create", memory_type: "context", topic: "Bob", content: "BOBSECRET" };
  await bob.ok(changeMemoriesRoute, { json: { operations: Array.from({ length: 40 }, () => record) } });
  const theirs = belongings(bob);
  const cases = (await Promise.all(PRIVATE.map(casesOf))).flat();
  return { bob, cases, idOf: (id: string) => theirs(id === "parent_id" ? "folder_id" : id) };
}

test("what another account has cannot be told from what nobody has, and stays as it is", async () => {
  const { bob, cases, idOf } = await other();
  const tried = new Set<string>();
  let ada = await person();
  let own = belongings(ada);
  for (const [at, one] of cases.entries()) {
    const { offered, id, isInPath } = one;
    const { operationId } = offered.operation;
    if (at % CASES_OF_ONE === 0) {
      ada = await person();
      own = belongings(ada);
    }
    const foreign = await idOf(id);
    if (foreign === undefined) continue;
    const [name, before] = [`${operationId}: ${id}`, await bob.ok(listActivityRoute)];
    const answer = await answerTo(ada, own, one, String(foreign));
    expect(answer, name).toEqual(await answerTo(ada, own, one, NOBODYS[id] ?? NOBODYS_ID));
    expect(answer.status, name).not.toBe(429);
    if (isInPath) expect(DETACHING.test(operationId) ? [204, 404] : [404], name).toContain(answer.status);
    expect(await bob.ok(listActivityRoute), name).toEqual(before);
    tried.add(operationId);
  }
  expect(tried.size).toBeGreaterThan(50);
}, 120_000);

test("no list shows anything of another account", async () => {
  const { bob, cases, idOf } = await other();
  const ids = await Promise.all([...new Set(cases.map(({ id }) => id))].map(idOf));
  const marks = ["BOBSECRET", ...ids.map(String).filter((id) => id.length > 30)];
  const ada = await person();
  const lists = PRIVATE.filter(({ method, path }) => method === "GET" && !path.includes("{"));
  const shown = new Set<string>();
  for (const offered of lists) {
    const parts = await exampleOf(offered, () => undefined, false);
    const { text } = await ada.call(offered.route, parts);
    const theirs = (await bob.call(offered.route, parts)).text;
    for (const mark of marks.filter((one) => theirs.includes(one))) shown.add(mark);
    for (const mark of marks) expect(text, offered.operation.operationId).not.toContain(mark);
  }
  expect(shown.size).toBeGreaterThan(8);
});

const ROWS = 2500;

/** Tables with the columns of their keys. */
const TABLES = {
  documents: ["id"],
  document_versions: ["version"],
  memories: ["id"],
  memory_events: ["id"],
  activity: ["number"],
  folders: ["id", "name"],
  files: ["id", "sha256"],
  api_keys: ["id", "hash"],
  later: ["id", "key"],
};

/** Fills a table with copies of its first row under other keys. */
async function copyFirstRow(table: string, keys: readonly string[]) {
  const columns = env.DB.prepare("SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0").bind(table);
  const names = (await columns.all<{ name: string }>()).results.map(({ name }) => name);
  const values = names.map((name) => (keys.includes(name) ? "n.value" : `first.${name}`));
  const copies = env.DB.prepare(
    `INSERT INTO ${table} (${names})
    SELECT ${values} FROM (SELECT * FROM ${table} LIMIT 1) AS first, json_each(?) AS n`,
  );
  const { meta } = await copies
    .bind(JSON.stringify(Array.from({ length: ROWS }, (_, n) => 100_000 + n)))
    .run();
  expect(meta.changes).toBeGreaterThanOrEqual(ROWS);
}

const isRead = ({ method }: Offered) => method === "GET";

/** Sign-in has separate stories, and `reindex` rebuilds the index of all accounts. */
const isTested = ({ operation }: Offered) =>
  !operation.tags?.includes("Sign-in") && operation.operationId !== "reindex";

test("no operation reads the rows of another account", async () => {
  const neighbour = belongings(await person());
  for (const name of ["document_id", "memory_id", "folder_id", "file_id", "api_key_id", "job_id"])
    await neighbour(name);
  for (const [table, keys] of Object.entries(TABLES)) await copyFirstRow(table, keys);

  const ada = await person({ email: EXAMPLE_EMAIL });
  const own = belongings(ada);
  const tested = OPERATIONS.filter(isTested).sort((a, b) => Number(isRead(b)) - Number(isRead(a)));
  for (const offered of tested) {
    const example = await exampleOf(offered, isRead(offered) ? own : belongings(ada), true);
    // Nobody runs the jobs for which the example waits.
    const { prefer: _, ...headers } = example.headers ?? {};
    const parts = { ...example, headers };
    const { client, meter } = meteredClient(isPublic(offered) ? visitor() : ada);
    const { status, text } = await client.call(offered.route, parts);
    const { operationId } = offered.operation;
    expect(status, `${operationId}: ${text}`).toBeLessThan(400);
    expect(meter.rowsRead, operationId).toBeLessThan(ROWS);
  }
});
