import { ownerOf } from "../test/e2e/large.ts";
import { openState } from "../test/e2e/state.ts";
import { moveTo, newAccount } from "./account.ts";
import { here, startCopy, startCounted } from "./copies.ts";
import { printTable } from "./figures.ts";
import { usageOf } from "./requests.ts";

// How many rows each answer of the dashboard reads, for growing numbers of records.

const SIZES = [1_000, 10_000, 100_000];

/**
 * Records from two years. Of 100: 20 active (5 with a due date around today), 60 resolved, 12 archived, 8 deferred. Six
 * types, two scopes or none, fifty projects or none.
 */
const INSERT_MEMORIES = `
  INSERT INTO memories (id, owner, memory_type, topic, content, status, scope, project, tags, due_date, deferred_until,
    resolved_at, source_type, version, created_at, updated_at, closed_at, touched_at)
  WITH RECURSIVE n(i) AS (SELECT CAST(?2 AS INTEGER) UNION ALL SELECT i + 1 FROM n WHERE i < ?3),
  r AS (SELECT i, (i * 7919) % 100 AS kind, (i * 104729) % 63072000 AS age FROM n),
  d AS (SELECT *, CASE WHEN kind < 20 THEN 'active' WHEN kind < 80 THEN 'resolved' WHEN kind < 92 THEN 'archived'
      ELSE 'deferred' END AS status,
    strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-' || age || ' seconds') AS closed FROM r)
  SELECT i, ?1,
    CASE WHEN i % 10 < 5 THEN 'commitment' ELSE
      json_extract('["decision","blocker","pattern","preference","context"]', '$[' || (i % 5) || ']') END,
    'Topic ' || i, 'Something that was promised in the meeting ' || i, status,
    json_extract('["personal","work",null]', '$[' || ((i / 10) % 3) || ']'),
    CASE WHEN i % 4 THEN 'Project ' || ((i / 7) % 50) END, '[]',
    CASE WHEN kind < 5 THEN date('now', (((i * 31) % 400) - 20) || ' days') END,
    CASE WHEN status = 'deferred' AND i % 2 THEN date('now', (1 + (i % 300)) || ' days') END,
    CASE WHEN status = 'resolved' THEN closed END, 'api', 1,
    strftime('%Y-%m-%dT%H:%M:%fZ', closed, '-' || (i % 20) || ' days'), closed,
    CASE WHEN status <> 'active' THEN closed END,
    CASE WHEN status = 'deferred' AND i % 2 THEN date('now', (1 + (i % 300)) || ' days') || 'T00:00:00.000Z' ELSE closed END
  FROM d`;

const SCOPE = "scope=work";
const PROJECT = "project=Project%207";
const HISTORY = "commitment-history?limit=50";

/** The answers, with their defaults and with the filters that a user would set. */
const ANSWERS: Record<string, string> = {
  "commitments limit=20": "commitments?limit=20",
  "commitments scope": `commitments?limit=20&${SCOPE}`,
  "commitments project": `commitments?limit=20&${PROJECT}`,
  "commitments scope project": `commitments?limit=20&${SCOPE}&${PROJECT}`,
  "alerts limit=100": "alerts?limit=100",
  "alerts scope": `alerts?limit=100&${SCOPE}`,
  "history limit=50": HISTORY,
  "history status": `${HISTORY}&status=archived`,
  "history scope": `${HISTORY}&${SCOPE}`,
  "history project": `${HISTORY}&${PROJECT}`,
  "history scope project": `${HISTORY}&${SCOPE}&${PROJECT}`,
  "history memory_type": `${HISTORY}&memory_type=decision`,
  "history scope memory_type": `${HISTORY}&${SCOPE}&memory_type=blocker`,
  summary: "summary",
};

/** Fills an account step by step and counts at each size. */
export async function benchDashboard(stateDir: string): Promise<void> {
  const first = await startCopy(here, stateDir);
  const account = await newAccount(first, "bench");
  await first.stop();
  const rows = new Map<string, (string | number)[]>();
  let filled = 0;
  for (const size of SIZES) {
    const database = openState(stateDir);
    database.prepare(INSERT_MEMORIES).run(ownerOf(database, account.email), filled + 1, size);
    database.close();
    filled = size;
    const { url, stop } = await startCounted(here, stateDir, first.ports.mcp);
    await moveTo(account, { apiUrl: url, mcpUrl: url });
    for (const [name, path] of Object.entries(ANSWERS)) {
      const { rowsRead } = await usageOf(url, () => account.send("GET", `/api/dashboard/${path}`));
      rows.set(name, [...(rows.get(name) ?? [name]), rowsRead]);
    }
    await stop();
  }
  const headings = SIZES.map((size) => `${size.toLocaleString("en")} records`);
  printTable("Rows read by the dashboard", ["", ...headings], [...rows.values()]);
}
