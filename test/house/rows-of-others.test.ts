import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { person, visitor } from "../kit/client.ts";
import { ClientOf } from "../kit/database.ts";
import { type Offered, OPERATIONS } from "../kit/description.ts";
import { exampleOf, isPublic } from "../kit/examples.ts";
import { meterDatabase } from "../kit/meter.ts";
import { belongings, EXAMPLE_EMAIL } from "../kit/named.ts";

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
    const parts = await exampleOf(offered, isRead(offered) ? own : belongings(ada), true);
    const meter = { calls: 0, rowsRead: 0, rowsWritten: 0 };
    const client = new ClientOf(isPublic(offered) ? visitor() : ada, meterDatabase(env.DB, meter));
    const { status, text } = await client.call(offered.route, parts);
    const { operationId } = offered.operation;
    expect(status, `${operationId}: ${text}`).toBeLessThan(400);
    expect(meter.rowsRead, operationId).toBeLessThan(ROWS);
  }
});
