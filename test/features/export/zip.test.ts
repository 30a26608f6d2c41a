import { env } from "cloudflare:workers";
import { Buffer } from "node:buffer";
import { describe, expect, test } from "vitest";
import { readMarkdownFiles } from "../../../src/features/export/files-store.ts";
import { exportStream } from "../../../src/features/export/stream.ts";
import { type ZipFile, zipFiles, zipWriter } from "../../../src/features/export/zip.ts";
import * as folders from "../../../src/features/folders/routes.ts";
import { openDatabase } from "../../../src/platform/db/call.ts";
import { type Client, person } from "../../kit/client.ts";
import { ctxOf, numberOf } from "../../kit/ctx.ts";
import { readByApp } from "../../kit/markdown-zip.ts";
import { metered } from "../../kit/meter.ts";

const file = (path: string, text = ""): ZipFile => ({
  path,
  modified: new Date("2021-02-03T04:05:07Z"),
  bytes: Buffer.from(text),
});

const LISTED = 0x02014b50;
const END_64 = 0x06064b50;

describe("a zip", () => {
  test("of more than 4 GB has the places of its files and of its directory as eight bytes", async () => {
    const start = 0x1_0000_0010;
    const writing = zipWriter(start);
    const [header, data] = await writing.add(file("a.md", "hello"));
    const end = Buffer.concat(writing.end());
    expect([end.readUInt32LE(0), end.readUInt32LE(42)]).toEqual([LISTED, 0xffffffff]);
    const extra = 46 + "a.md".length + 9;
    expect([end.readUInt16LE(extra), end.readBigUInt64LE(extra + 4)]).toEqual([1, BigInt(start)]);
    const last = end.length - 22 - 20 - 56;
    expect(end.readUInt32LE(last)).toBe(END_64);
    const directory = start + (header?.length ?? 0) + (data?.length ?? 0);
    expect(end.readBigUInt64LE(last + 48)).toBe(BigInt(directory));
  });

  test("that broke off because something failed ends in an error, and is refused by an import", async () => {
    async function* failing() {
      yield file("a.md", "# A");
      yield file("b.md", "# B");
      throw new Error("D1 is gone");
    }
    const received: Uint8Array[] = [];
    const reading = (async () => {
      for await (const piece of zipFiles(failing())) received.push(piece);
    })();
    await expect(reading).rejects.toThrow("D1 is gone");
    await expect(readByApp(Buffer.concat(received))).rejects.toThrow("is incomplete or damaged");
    await expect(
      new Response(exportStream({ shard: 1, owner: 1 }, zipFiles(failing()))).bytes(),
    ).rejects.toThrow("D1 is gone");
  });
});

/** Documents with texts of a kilobyte; every tenth is in the folder. */
const fill = (owner: number, count: number, folder: string) =>
  env.DB.prepare(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
    INSERT INTO documents (owner, id, title, tags, content, folder_id, source_type, version, created_at, updated_at)
    SELECT ?, printf('00000000-0000-7000-8000-%012d', i), 'Note', '[]',
      json_object('format', 'markdown', 'text', replace(hex(zeroblob(500)), '0', 'x')),
      CASE WHEN i % 10 = 0 THEN ? END, 'api', 1, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z' FROM n`)
    .bind(count, owner, folder)
    .run();

describe("the documents as files", () => {
  async function costOf(client: Client, folder?: string) {
    const { session, meter } = metered(env.DB.withSession("first-primary"));
    const { files } = await readMarkdownFiles(
      { ...(await ctxOf(client)), db: openDatabase(session) },
      folder,
    );
    const paths: string[] = [];
    for await (const { path } of files) paths.push(path);
    return { ...meter, paths };
  }

  test("take few calls and rows: those of a folder no more because of others", async () => {
    const ada = await person();
    const { id } = await ada.ok(folders.createFolderRoute, { json: { name: "Few" } });
    await fill(await numberOf(ada), 6000, id);
    const all = await costOf(ada);
    expect(new Set(all.paths).size).toBe(6000);
    expect(all.paths.at(-1)).toBe("Few/Note (600).md");
    // Folders, two pages of sizes, nine megabytes of rows, and whether something is attached to each.
    expect(all.batches).toBeLessThan(12);
    expect(all.rowsRead).toBeLessThan(6000 * 6 + 100);
    const few = await costOf(ada, id);
    expect(few.paths).toHaveLength(600);
    expect(few.batches).toBe(3);
    expect(few.rowsRead).toBeLessThan(600 * 7 + 100);
  });
});
