import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { exportLines } from "../../../src/features/export/store.ts";
import * as folders from "../../../src/features/folders/routes.ts";
import type { Ctx } from "../../../src/platform/core/ctx.ts";
import { openDatabase } from "../../../src/platform/db/call.ts";
import { person } from "../../kit/client.ts";
import { ctxOf, numberOf } from "../../kit/ctx.ts";
import { forgetEverything, send } from "../../kit/files.ts";
import { metered } from "../../kit/meter.ts";
import { make } from "../../kit/records.ts";

/** The calls and rows of an export, and the bytes of its largest answer. */
async function costOf(ctx: Ctx, between: (line: string) => Promise<void> = async () => {}) {
  const { session, meter } = metered(env.DB.withSession("first-primary"));
  let largest = 0;
  const measuring = {
    prepare: (query: string) => session.prepare(query),
    getBookmark: () => session.getBookmark(),
    batch: async <Row>(statements: D1PreparedStatement[]) => {
      const results = await session.batch<Row>(statements);
      largest = Math.max(largest, JSON.stringify(results.map(({ results: rows }) => rows)).length);
      return results;
    },
  } as D1DatabaseSession;
  let file = "";
  const db = openDatabase(measuring);
  for await (const bytes of exportLines({ ...ctx, db })) {
    const line = new TextDecoder().decode(bytes);
    file += line;
    await between(line);
  }
  return { ...meter, largest, file, lines: file.trimEnd().split("\n") };
}

/** Records with events that keep states of this length. */
async function fillRecords(
  owner: number,
  count: number,
  { states, bytes }: { states: number; bytes: number },
) {
  await env.DB.batch([
    env.DB.prepare(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
      INSERT INTO memories (owner, id, memory_type, topic, content, status, tags, source_type, version, created_at, updated_at, touched_at)
      SELECT ${owner}, i, 'context', 'T', 'C', 'active', '[]', 'api', ${states + 1}, '2026-01-01T00:00:00.000Z',
        '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z' FROM n`),
    env.DB.prepare(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${states})
      INSERT INTO memory_events (owner, memory_id, id, event, to_status, at, state)
      SELECT ${owner}, m.id, n.i, 'updated', 'active', '2026-01-01T00:00:00.000Z',
        json_object('version', n.i, 'content', replace(hex(zeroblob(${bytes / 2})), '0', 'x'))
      FROM memories AS m CROSS JOIN n WHERE m.owner = ${owner}`),
  ]);
}

/** Files of an account, and a record that has all of them. */
async function fillFiles(owner: number, count: number) {
  await fillRecords(owner, 1, { states: 0, bytes: 0 });
  const at = "'2026-01-01T00:00:00.000Z'";
  await env.DB.batch([
    env.DB.prepare(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
      INSERT INTO files (id, owner, sha256, bytes, type, kind, name, due_at, created_at, updated_at)
      SELECT format('${owner}-%06d', i), ${owner}, format('%064x', i), 1, 'image/png', 'image', 'x', ${at}, ${at}, ${at} FROM n`),
    env.DB.prepare(`INSERT INTO memory_files (owner, memory_id, file_id, created_at)
      SELECT owner, 1, id, ${at} FROM files WHERE owner = ${owner}`),
  ]);
}

describe("an export", () => {
  test("of files reads each a few times, and nothing of what others have", async () => {
    const [ada, bob] = [await person(), await person()];
    await fillFiles(await numberOf(bob), 5000);
    await fillFiles(await numberOf(ada), 1500);
    const { batches, rowsRead, lines } = await costOf(await ctxOf(ada));
    expect(lines).toHaveLength(4 + 2 + 2 * 1500);
    expect(batches).toBeLessThan(14);
    expect(rowsRead).toBeLessThan(3 * 1500 + 100);
  });

  test("of an ordinary account takes few calls, and two rows for each line", async () => {
    const ada = await person();
    await fillRecords(await numberOf(ada), 600, { states: 3, bytes: 600 });
    const { batches, rowsRead, lines } = await costOf(await ctxOf(ada));
    expect(lines).toHaveLength(4 + 600 * 4);
    expect(batches).toBeLessThanOrEqual(9);
    expect(rowsRead).toBeLessThanOrEqual(2.25 * 600 * 4 + 10);
  });

  test("of records with long states never reads more than 3 MB at once", async () => {
    const ada = await person();
    await fillRecords(await numberOf(ada), 120, { states: 50, bytes: 20_000 });
    const { largest, lines } = await costOf(await ctxOf(ada));
    expect(lines).toHaveLength(4 + 120 * 51);
    expect(largest).toBeLessThan(3_000_000);
  });

  test("of a record whose states are larger than what is read at once has all of them, once", async () => {
    const ada = await person();
    const owner = await numberOf(ada);
    await fillRecords(owner, 2, { states: 50, bytes: 100_000 });
    let isChanged = false;
    const { largest, lines } = await costOf(await ctxOf(ada), async (line) => {
      if (isChanged || !line.startsWith('{"type":"memory",')) return;
      isChanged = true;
      await env.DB.prepare(`INSERT INTO memory_events (owner, memory_id, id, event, to_status, at)
        VALUES (${owner}, 1, 51, 'confirmed', 'active', '2026-01-01T00:00:00.000Z')`).run();
    });
    expect(lines).toHaveLength(4 + 2 * 51);
    expect(largest).toBeLessThan(3_000_000);
  });

  test("has every folder that stays, whatever is deleted or moved in between, and each after its parent", async () => {
    const ada = await person();
    const made = async (name: string, parent_id: string | null) =>
      (await ada.ok(folders.createFolderRoute, { json: { name, parent_id } })).id;
    const top = await made("Top", null);
    const inner = await made("Inner", top);
    const deep = await made("Deep", inner);
    const late = await made("Late", null);
    await ada.ok(folders.updateFolderRoute, { params: { folder_id: top }, json: { parent_id: late } });
    await make(ada);
    let isDeleted = false;
    const { file } = await costOf(await ctxOf(ada), async (line) => {
      if (isDeleted || !line.startsWith('{"type":"folder"')) return;
      isDeleted = true;
      await ada.ok(folders.deleteFolderRoute, {
        params: { folder_id: inner },
        query: { on_content: "move_up" },
      });
    });
    const names = [...file.matchAll(/"type":"folder".*?"name":"(\w+)"/g)].map(([, name]) => name);
    expect(names).toEqual(["Late", "Top", "Inner", "Deep"]);
    expect(isDeleted).toBe(true);

    await forgetEverything();
    const bob = await person();
    expect((await send(bob, file)).status).toBe(200);
    const { items } = await bob.ok(folders.listFoldersRoute);
    expect(items.find(({ id }) => id === deep)?.parent_id).toBe(inner);
    expect(items.find(({ id }) => id === top)?.parent_id).toBe(late);
  });
});
