import { readFileSync, rmSync, writeFileSync } from "node:fs";
import getPort from "get-port";
import { localDatabaseName } from "../scripts/common/local-database.ts";
import { migrateShard } from "../scripts/common/migrations.ts";
import { shardBinding } from "../src/contract/shards.ts";
import { atEnd } from "./at-end.ts";
import { send, usageOf } from "./counts.ts";
import { startScript } from "./processes.ts";
import { ROWS, type Row } from "./rows.ts";
import { createSubject, LOGIN, SIZE } from "./subject.ts";
import { printTable } from "./table.ts";
import type { Usage } from "./workers/counted.ts";

// What a request costs when the service has several homes, for somebody in the last of them: their home is asked, and no
// other.

const HOMES = [1, 3, 30];

/** How many items of each kind the rows use up. */
const USED_UP = 5;

const SIGN_IN: Row = {
  name: "sign in",
  request: () => ({ method: "POST", path: "/api/auth/login", ...LOGIN }),
};

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** The project's configuration with so many databases, in a file beside it, because its paths are relative. */
function writeConfig(count: number): string {
  const path = `wrangler.bench-${count}.toml`;
  const more = upTo(count)
    .slice(1)
    .map((home) => {
      const name = localDatabaseName(home);
      return `\n[[d1_databases]]\nbinding = "${shardBinding(home)}"\ndatabase_name = "${name}"\ndatabase_id = "${name}"\n`;
    });
  writeFileSync(path, [readFileSync("wrangler.toml", "utf8"), ...more].join(""));
  atEnd(async () => rmSync(path, { force: true }));
  return path;
}

/** The usage of each row with so many homes. */
async function countWith(count: number, stateDir: string): Promise<Usage[]> {
  // Nobody asks those in between for anything.
  for (const home of new Set([1, count])) await migrateShard(stateDir, home);
  const port = await getPort();
  const { url, stop } = await startScript({
    script: "bench/workers/counted.ts",
    config: writeConfig(count),
    stateDir,
    port,
    vars: {
      ...{ REGISTRATION: "open", MCP_URL: `http://localhost:${port}/mcp`, RATE_LIMIT_LOGIN: "1000/60" },
      ...(count > 1 && {
        HOMES: upTo(count)
          .map((home) => `${shardBinding(home)}=weur:open`)
          .join(","),
        HOME_FOR_NEW: shardBinding(count),
      }),
    },
  });
  const subject = await createSubject({ apiUrl: url, mcpUrl: url }, USED_UP);
  const usages: Usage[] = [];
  for (const { request } of [...ROWS, SIGN_IN]) {
    // The first request may also record that its token or session is in use.
    await send(url, request(subject));
    usages.push(await usageOf(url, () => send(url, request(subject))));
  }
  await stop();
  return usages;
}

/** Counts the calls, databases and rows of each request with one home and with several. */
export async function benchHomes(stateDir: string): Promise<void> {
  const counts: Usage[][] = [];
  for (const count of HOMES) {
    console.log(`Counting with ${count} ${count === 1 ? "home" : "homes"}…`);
    counts.push(await countWith(count, `${stateDir}-${count}`));
  }
  const cell = (index: number, name: keyof Usage) =>
    counts.map((usages) => usages[index]?.[name] ?? "").join(" / ");
  printTable(
    `A request with ${HOMES.join(" / ")} homes, of an account with ${SIZE.documents} documents and ${SIZE.records} records`,
    ["", "D1 calls", "databases", "rows read", "rows written"],
    [...ROWS, SIGN_IN].map(({ name }, index) => [
      name,
      ...(["calls", "databases", "rowsRead", "rowsWritten"] as const).map((one) => cell(index, one)),
    ]),
  );
}
