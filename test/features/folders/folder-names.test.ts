import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, test } from "vitest";
import { listActivityRoute } from "../../../src/features/activity/routes.ts";
import {
  buildFolderTree,
  findMatchingFolders,
  folderWithPath,
} from "../../../src/features/documents/folder-path.ts";
import * as folders from "../../../src/features/folders/routes.ts";
import { openDatabase } from "../../../src/platform/db/call.ts";
import { openSession } from "../../../src/platform/db/session.ts";
import { assistant } from "../../kit/assistant.ts";
import { type Client, person } from "../../kit/client.ts";
import { numberOf } from "../../kit/ctx.ts";
import { metered } from "../../kit/meter.ts";

// Folders by name: many of them, refused writes, and other writers.

const foldersOf = (who: Client) => who.ok(folders.listFoldersRoute, { query: { limit: "100" } });

test("a refused edit leaves no folder behind, nor an entry in the activity", async () => {
  const ada = await person();
  const claude = await assistant(ada);
  const { id } = await claude.createDocument({ title: "Plan", text: "x" });
  const move = (more: object) =>
    claude.editDocument({ id, operation: "set_fields", folder: "Work/Notes", ...more });
  await expect(move({ expected_version: 7 })).rejects.toThrow("has version 1, not 7");
  await expect(move({ title: "x".repeat(1000) })).rejects.toThrow("title");
  await expect(move({ id: crypto.randomUUID() })).rejects.toThrow("was not found");
  expect((await foldersOf(ada)).total).toBe(0);
  expect((await ada.ok(listActivityRoute)).items).toHaveLength(1);
  expect(await move({ expected_version: 1 })).toMatchObject({
    folder: { path: "Work/Notes", created: true },
  });
  expect((await foldersOf(ada)).total).toBe(2);
});

test("names find a folder among thousands at the cost of its depth, and an answer names a hundred of those inside", async () => {
  const ada = await person();
  const work = await ada.ok(folders.createFolderRoute, { json: { name: "Work" } });
  const inside = { name: "Ärger", parent_id: work.id };
  const { id } = await ada.ok(folders.createFolderRoute, { json: inside });
  await env.DB.prepare(`INSERT INTO folders (id, owner, name, parent_id, created_at, updated_at, key)
    SELECT printf('%08x-0000-7000-8000-%012x', value, ?1), ?1, 'Folder ' || value, iif(value % 2, ?2, NULL), '', '',
      'folder ' || value
    FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 6000) SELECT value FROM n)`)
    .bind(await numberOf(ada), work.id)
    .run();
  const metering = async () => {
    const { session, meter } = metered(openSession(env.DB));
    return { meter, claude: await assistant(ada, undefined, { db: openDatabase(session) }) };
  };
  const written = async (folder?: string) => {
    const { meter, claude } = await metering();
    const made = await claude.createDocument({ title: "Note", text: "x", folder });
    expect(made.folder?.path).toBe(folder && "Work/Ärger");
    return meter;
  };
  const { rowsRead } = await written();
  for (const asked of [id, `folder:${id}`, "ärger", "WORK/ÄRGER", "/work/ärger/"]) {
    const meter = await written(asked);
    expect(meter.batches, asked).toBeLessThanOrEqual(2);
    expect(meter.rowsRead - rowsRead, asked).toBeLessThan(60);
  }
  const { meter, claude } = await metering();
  const listed = await claude.listDocuments({ folder: "work" });
  expect([listed.subfolders?.length, listed.total]).toEqual([100, 0]);
  const { folders: named, more_folders } = await claude.whoami();
  // Each is read a few times, but not once for each other one.
  expect(meter.rowsRead).toBeLessThan(20 * 6002);
  expect([named?.length, more_folders]).toEqual([100, 5902]);
});

test("what is put into a folder that is being deleted gets into one that exists", async () => {
  const ada = await person();
  const claude = await assistant(ada);
  for (let round = 0; round < 6; round++) {
    const parent = await ada.ok(folders.createFolderRoute, { json: { name: "Work" } });
    const create = (name: string) =>
      claude.createDocument({ title: name, text: "x", folder: `Work/${name}` });
    const remove = ada.call(folders.deleteFolderRoute, {
      params: { folder_id: parent.id },
      query: { on_content: "move_up" },
    });
    const made = await Promise.all([create("a"), create("b"), remove, create("c")]);
    for (const answer of made) if ("id" in answer) expect(answer.folder?.path).toMatch(/[abc]$/);
    for (const { id } of (await foldersOf(ada)).items)
      await ada.call(folders.deleteFolderRoute, {
        params: { folder_id: id },
        query: { on_content: "trash" },
      });
  }
});

test("a folder is found by every end of its path, in any case, and by no other name", () => {
  const name = fc.constantFrom("Work", "work", "Notes", "Ämter", "a/b", "/", "2026");
  const tree = fc.array(fc.tuple(name, fc.nat(20)), { minLength: 1, maxLength: 12 }).map((rows) =>
    buildFolderTree(
      rows.map(([one, parent], index) => ({
        ...{ id: String(index), name: one },
        parent_id: parent < index ? String(parent) : null,
      })),
    ),
  );
  const plain = (path: string) =>
    path
      .split("/")
      .map((one) => one.trim())
      .filter(Boolean)
      .join("/")
      .toLowerCase();
  fc.assert(
    fc.property(tree, fc.nat(11), fc.nat(4), (all, index, dropped) => {
      const folder = all.folders[index % all.folders.length];
      if (!folder) return;
      const path = plain(folderWithPath(all, folder).path);
      const asked = path.split("/").slice(dropped).join("/");
      const found = findMatchingFolders(all, asked.toUpperCase()).map((one) =>
        plain(folderWithPath(all, one).path),
      );
      for (const one of found) expect(one === asked || one.endsWith(`/${asked}`)).toBe(true);
      if (dropped === 0 && plain(folder.name) !== "") expect(found).toContain(path);
      if (asked === "") expect(found).toEqual([]);
    }),
  );
});
