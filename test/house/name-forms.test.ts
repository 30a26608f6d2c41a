import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { applyTagChange } from "../../src/contract/tag-rule.ts";
import * as documents from "../../src/features/documents/routes.ts";
import {
  createDocumentTool,
  editDocumentTool,
  listDocumentsTool,
} from "../../src/features/documents/tools.ts";
import { updateFileRoute } from "../../src/features/files/routes.ts";
import * as folders from "../../src/features/folders/routes.ts";
import * as memories from "../../src/features/memories/routes.ts";
import { remember } from "../../src/features/memories/write-tools.ts";
import { listProjectsRoute, renameProjectRoute } from "../../src/features/projects/routes.ts";
import { searchRoute } from "../../src/features/search/routes.ts";
import { listTagsRoute, renameTagRoute } from "../../src/features/tags/routes.ts";
import { FolderTree, folderWriter } from "../../src/shared/import/folders.ts";
import { person } from "../kit/client.ts";
import { callTool, ctxOf, numberOf } from "../kit/ctx.ts";
import { send } from "../kit/files.ts";
import { fileOf, memory } from "../kit/import-lines.ts";
import { importer } from "../kit/markdown-zip.ts";
import { PROMISE } from "../kit/records.ts";
import { png, upload } from "../kit/stored-files.ts";

// A name may come in two forms of Unicode, NFC and NFD, that look the same: it is stored in NFC, wherever it comes from.

const NFC = "Café 한글 が";
const NFD = NFC.normalize("NFD");

test("routes store and find names in one form", async () => {
  const ada = await person();
  const folder = await ada.ok(folders.createFolderRoute, { json: { name: ` ${NFD} ` } });
  const json = { title: NFD, tags: [NFD, NFC], folder_id: folder.id };
  const document = await ada.ok(documents.createDocumentRoute, { json });
  const named = { ...PROMISE, topic: NFD, project: NFD, tags: [NFC, NFD] };
  const record = await ada.ok(memories.createMemoryRoute, { json: named });
  const picture = await upload(ada, png(), { name: `${NFD}.png` });
  const rename = { params: { file_id: picture.id }, json: { name: `b${NFD}.png` } };
  const renamed = await ada.ok(updateFileRoute, rename);
  expect([folder.name, document.title, document.tags]).toEqual([NFC, NFC, [NFC]]);
  expect([record.topic, record.project, record.tags]).toEqual([NFC, NFC, [NFC]]);
  expect([picture.name, renamed.name]).toEqual([`${NFC}.png`, `b${NFC}.png`]);
  for (const tag of [NFC, NFD]) {
    const list = await ada.ok(documents.listDocumentsRoute, { query: { tag } });
    const found = await ada.ok(searchRoute, { query: { q: `tag:"${tag}"`, type: "all" } });
    const inFolder = await ada.ok(searchRoute, { query: { q: `folder:"${tag}"` } });
    const records = await ada.ok(memories.listMemoriesRoute, { query: { project: tag, tag } });
    expect([list.total, found.total, inFolder.total, records.total]).toEqual([1, 2, 1, 1]);
  }
  const name = "é".normalize("NFD");
  await ada.ok(renameTagRoute, { params: { name: NFD }, json: { name } });
  await ada.ok(renameProjectRoute, { params: { name: NFD }, json: { name } });
  await ada.ok(folders.updateFolderRoute, { params: { folder_id: folder.id }, json: { name } });
  const lists = [
    await ada.ok(listTagsRoute),
    await ada.ok(listProjectsRoute),
    await ada.ok(folders.listFoldersRoute),
  ];
  for (const { items } of lists) expect(items[0]?.name).toBe("é");
});

test("tools create one folder for both forms, and find it by either", async () => {
  const ada = await person();
  const ctx = await ctxOf(ada);
  const made = [NFD, NFC, NFD].map(async (form, at) =>
    callTool(ctx, createDocumentTool, {
      title: `${at} ${form}`,
      text: "x",
      folder: `Work/${form}`,
      tags: [form],
    }),
  );
  const [first] = await Promise.all(made);
  const { items } = await ada.ok(folders.listFoldersRoute);
  expect(items.map((folder) => folder.name).sort()).toEqual([NFC, "Work"]);
  expect((await ada.ok(listTagsRoute)).items).toEqual([{ name: NFC, document_count: 3 }]);
  await callTool(ctx, editDocumentTool, { id: first?.id, operation: "set_fields", title: NFD });
  for (const folder of [`Work/${NFD}`, `work/${NFC}`])
    expect((await callTool(ctx, listDocumentsTool, { folder })).total).toBe(3);
  await callTool(ctx, remember, { records: [{ ...PROMISE, project: NFD, tags: [NFD] }] });
  const [record] = (await ada.ok(memories.listMemoriesRoute)).items;
  expect([record?.project, record?.tags]).toEqual([NFC, [NFC]]);
});

test("an export with the other form comes in as one", async () => {
  const ada = await person();
  const file = fileOf([memory(1, { project: NFD, tags: [NFD, NFC] })]);
  await send(ada, file);
  const [record] = (await ada.ok(memories.listMemoriesRoute)).items;
  expect([record?.project, record?.tags]).toEqual([NFC, [NFC]]);
});

test("the importer writes into the folder that is there, whatever form its name and that on the disk have", async () => {
  const ada = await person();
  const { id } = await ada.ok(folders.createFolderRoute, { json: { name: NFC } });
  const writer = folderWriter(importer(ada), await FolderTree.read(importer(ada)));
  expect(await writer.ensure([NFD])).toBe(id);
  const below = await writer.ensure([NFD, NFD]);
  expect(await writer.ensure([NFC, NFC])).toBe(below);
  expect((await ada.ok(folders.listFoldersRoute)).total).toBe(2);
});

test("what an earlier release stored in the other form is found by either, and taken up by a change of the name", async () => {
  const ada = await person();
  const owner = await numberOf(ada);
  const document = async (tags: string[]) =>
    (await ada.ok(documents.createDocumentRoute, { json: { title: "x", tags } })).id;
  const [both, old] = [await document([NFC, "a"]), await document(["b"])];
  const record = () => ada.ok(memories.createMemoryRoute, { json: { ...PROMISE, project: NFC } });
  const [, second] = [await record(), await record()];
  const run = (statement: string, ...values: unknown[]) =>
    env.DB.prepare(statement)
      .bind(...values)
      .run();
  for (const [id, tags] of [
    [both, [NFC, NFD]],
    [old, [NFD]],
  ] as const) {
    await run("UPDATE documents SET tags = ? WHERE id = ?", JSON.stringify(tags), id);
    await run("DELETE FROM document_tags WHERE document_id = ? AND tag <> ?", id, NFC);
    await run("INSERT INTO document_tags (owner, document_id, tag) VALUES (?, ?, ?)", owner, id, NFD);
  }
  await run("UPDATE memories SET project = ? WHERE owner = ? AND id = ?", NFD, owner, second?.id);
  const names = async () => [
    (await ada.ok(listTagsRoute)).items.map(({ name }) => name).sort(),
    (await ada.ok(listProjectsRoute)).items.map(({ name }) => name).sort(),
  ];
  expect(await names()).toEqual([[NFC, NFD].sort(), [NFC, NFD].sort()]);
  for (const tag of [NFC, NFD])
    expect((await ada.ok(documents.listDocumentsRoute, { query: { tag } })).total).toBe(2);
  await ada.ok(renameTagRoute, { params: { name: NFC }, json: { name: NFC } });
  await ada.ok(renameProjectRoute, { params: { name: NFC }, json: { name: NFC } });
  expect(await names()).toEqual([[NFC], [NFC]]);
  expect((await ada.ok(listTagsRoute)).items[0]?.document_count).toBe(2);
});

test("removing a tag removes both of its forms", () => {
  expect(applyTagChange([NFC, NFD, "a"], { remove_tags: [NFC] })).toEqual(["a"]);
});
