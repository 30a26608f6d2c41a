import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readBackup } from "../../scripts/backup/shards.ts";
import { applyMigrations } from "../../scripts/common/migrations.ts";
import { parseShards } from "../../src/contract/shards.ts";
import { runScript } from "../e2e/script.ts";

const HOMES = "DB=weur:open, DB_2=enam:open";

test("a backup of two databases says which is which", { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "commonplace-homes-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [state, backup] = [join(folder, "state"), join(folder, "backup")];
  await applyMigrations(state, parseShards(HOMES));
  const made = await runScript("backup", ["--all", backup], { STATE_DIR: state, HOMES });
  expect(made).toMatchObject({ code: 0 });
  const manifestOf = (shard: number) => join(backup, `home-${shard}`, "manifest.json");
  const homes = [1, 2].map((shard) => JSON.parse(readFileSync(manifestOf(shard), "utf8")).home);
  expect(homes).toEqual([1, 2]);

  // As releases without the number in this manifest wrote it.
  const { home: _, ...older } = JSON.parse(readFileSync(manifestOf(2), "utf8"));
  writeFileSync(manifestOf(2), JSON.stringify(older));
  expect((await readBackup(backup)).map(({ shard }) => shard)).toEqual([1, 2]);
});
