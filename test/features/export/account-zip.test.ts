import { unzipSync, zipSync } from "fflate";
import { expect, test } from "vitest";
import * as documents from "../../../src/features/documents/routes.ts";
import * as links from "../../../src/features/files/link-routes.ts";
import * as files from "../../../src/features/files/routes.ts";
import * as folders from "../../../src/features/folders/routes.ts";
import { accountZip, importZip, linesOf } from "../../kit/account-zip.ts";
import { type Client, person } from "../../kit/client.ts";
import { ConfiguredClient } from "../../kit/database.ts";
import { create, prose, remove } from "../../kit/documents.ts";
import { send } from "../../kit/files.ts";
import { at } from "../../kit/records.ts";
import { remember } from "../../kit/search.ts";
import { bytesOf, png, upload, webp } from "../../kit/stored-files.ts";

// A whole account as a zip, and back into another account.

const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

/** An account with what makes a zip difficult. */
async function household() {
  const ada = await person();
  const folder = async (name: string, parent_id: string | null) =>
    (await ada.ok(folders.createFolderRoute, { json: { name, parent_id } })).id;
  const folder_id = await folder("a/b: <c>", await folder("Files", null));
  const picture = await upload(ada, png("the house"), { name: "../../etc/pass\u0007wd (1).png" });
  const other = await upload(ada, png("another"), { name: "house.png" });
  const upper = await upload(ada, png("a third"), { name: "HOUSE.png" });
  const contract = await upload(ada, bytesOf("%PDF-1.4 contract"), { name: "Vertrag März.pdf" });
  const big = new Uint8Array(9 * 1024 * 1024).map((_, n) => (n * 31) ^ (n >> 7));
  const film = await upload(ada, big, { name: "film" });
  const text = `![The house](file:${picture.id})\n\n[both](<file:${other.id}>) [x]\n\n[x]: file:${upper.id}\n`;
  const lease = await create(ada, { title: "Lease", tags: ["pinned"], folder_id, content: prose(text) });
  for (const width of [320, 1000])
    await ada.fetch(`/api/files/${picture.id}/thumbnails/${width}`, {
      method: "PUT",
      body: webp(`house at ${width}`),
      headers: { "Content-Type": "image/webp" },
    });
  const params = { document_id: lease.id };
  await create(ada, { title: "Lease", folder_id, content: prose("the same name") });
  const gone = await create(ada, { title: "Gone", content: prose(`![](file:${film.id})`) });
  const record = await remember(ada, "Receipt", { content: `Paid, see file:${contract.id}` });
  for (const file of [contract, picture])
    await ada.ok(links.attachToDocumentRoute, { params: { file_id: file.id, ...params } });
  await ada.ok(links.attachToMemoryRoute, { params: { file_id: contract.id, ...at(record) } });
  await ada.ok(links.attachToDocumentRoute, { params: { file_id: film.id, document_id: gone.id } });
  const facts = { alt: "A house", width: 3 };
  await ada.ok(files.updateFileRoute, { params: { file_id: picture.id }, json: facts });
  await ada.ok(documents.updateDocumentRoute, { params, json: { ...lease, tags: ["pinned", "home"] } });
  await remove(ada, gone);
  return { ada, big };
}

/** The bytes of an account's files by their names. */
async function bytesByName(client: Client): Promise<Record<string, Uint8Array>> {
  const { items } = await client.ok(files.listFilesRoute, { query: { limit: 100 } });
  const read = items.map(async ({ id, name }) => {
    const answer = await client.fetch(`/api/files/${id}`);
    return [name, new Uint8Array(await answer.arrayBuffer())];
  });
  return Object.fromEntries(await Promise.all(read));
}

/** What an import leaves to the new account: the ids of what others have there, and when files came. */
const KEPT_OUT = ["id", "document_id", "folder_id", "parent_id", "created_at", "at", "activity"];

const withoutIds = (lines: Awaited<ReturnType<typeof linesOf>>) =>
  lines
    .map((line) =>
      JSON.stringify(Object.fromEntries(Object.entries(line).filter(([name]) => !KEPT_OUT.includes(name)))),
    )
    .sort();

test("a zip of everything brings the same account back, files byte for byte and where they were", async () => {
  const { ada, big } = await household();
  const zip = await accountZip(ada);
  const bob = await person();
  const { done, refused } = await importZip(bob, zip);
  expect([refused, done.not_stored.items]).toEqual([[], []]);
  expect([done.documents.created, done.files.skipped, done.attachments.created]).toEqual([3, 5, 6]);
  const before = await linesOf(ada);
  expect(withoutIds(await linesOf(bob))).toEqual(withoutIds(before));
  const mine = await bytesByName(bob);
  expect(mine).toEqual(await bytesByName(ada));
  expect(mine.film).toEqual(big);
  const [house] = (await bob.ok(files.listFilesRoute)).items.filter(({ alt }) => alt === "A house");
  expect([house?.width, house?.thumbnails]).toEqual([3, [320, 1000]]);
  const small = await bob.fetch(`/api/files/${house?.id}/thumbnails/1000`);
  expect(new Uint8Array(await small.arrayBuffer())).toEqual(webp("house at 1000"));

  const { items } = await bob.ok(documents.listDocumentsRoute, { query: { tag: "pinned" } });
  const lease = { document_id: items[0]?.id ?? "" };
  const content = String((await bob.ok(documents.getDocumentRoute, { params: lease })).content?.text);
  const ids = [...content.matchAll(/file:([0-9a-f-]{36})/g)].map(([, id]) => id);
  const own = (await bob.ok(files.listFilesRoute)).items.map(({ id }) => id);
  expect(ids).toHaveLength(3);
  for (const id of ids) expect(own).toContain(id);

  const again = await importZip(bob, zip);
  expect(again.refused).toEqual([]);
  expect([again.done.documents.created, again.done.attachments.created]).toEqual([0, 0]);
  expect((await bob.ok(files.listFilesRoute)).total).toBe(5);
  expect(withoutIds(await linesOf(bob))).toEqual(withoutIds(before));
  // Nothing has changed what it came from, either.
  expect((await importZip(ada, zip)).done.documents).toMatchObject({ created: 0, skipped: 3 });
  expect(await linesOf(ada)).toEqual(before);
});

test("a zip of everything can be read without us: its Markdown leads to the files in it", async () => {
  const { ada } = await household();
  const zip = unzipSync(await accountZip(ada));
  const paths = Object.keys(zip).map((path) => path.replace(/[0-9a-f-]{36}/, "id"));
  expect(paths.sort()).toEqual(
    [
      ...["commonplace-00001.ndjson", "commonplace-files.ndjson"],
      ...["Files/a b c/Lease.md", "Files/a b c/Lease (2).md"],
      ...["Thumbnails/id-320.webp", "Thumbnails/id-1000.webp"],
      ...["passwd (1).png", "house.png", "HOUSE (2).png", "Vertrag März.pdf", "film"].map(
        (name) => `Files (2)/${name}`,
      ),
    ].sort(),
  );
  const lease = text(zip["Files/a b c/Lease.md"]);
  expect(lease).toContain("![The house](../../Files%20%282%29/passwd%20%281%29.png)");
  expect(lease).toContain("[both](<../../Files%20%282%29/house.png>)");
  expect(lease).toContain("[x]: ../../Files%20%282%29/HOUSE%20%282%29.png");
  expect(lease).toMatch(
    / {2}files:\n(?: {4}- .*\n){3} {4}- \.\.\/\.\.\/Files%20%282%29\/Vertrag%20M%C3%A4rz\.pdf\n/,
  );
  expect(text(zip["Files (2)/Vertrag März.pdf"])).toBe("%PDF-1.4 contract");
});

test("the lines alone, as copies, attach the account's own files to the copies too", async () => {
  const { ada } = await household();
  const lines = await (await ada.fetch("/api/export")).text();
  const { result } = await send(ada, lines, "?mode=copy");
  expect([result.documents.created, result.files.skipped]).toEqual([3, 5]);
  expect(result.attachments).toMatchObject({ created: 6, remapped: 6, skipped: 0 });
  const { items } = await ada.ok(files.listFilesRoute);
  const links = items.map(({ document_ids, memory_ids }) => document_ids.length + memory_ids.length);
  expect(links.sort()).toEqual([2, 2, 2, 2, 4]);
  expect((await send(ada, lines)).result.attachments).toMatchObject({ created: 0, skipped: 6 });
});

test("without a bucket, the zip has all but the files, and an import says what it could not bring", async () => {
  const { ada } = await household();
  const without = new ConfiguredClient(ada, { FILES: undefined as never });
  expect(Object.keys(unzipSync(await accountZip(without))).sort()).toEqual([
    "Files/a b c/Lease (2).md",
    "Files/a b c/Lease.md",
    "commonplace-00001.ndjson",
  ]);
  const bob = new ConfiguredClient(await person(), { FILES: undefined as never });
  const { done, refused } = await importZip(bob, await accountZip(ada));
  expect(refused.map(({ why }) => why)).toEqual([
    "This service has no file storage, so the files in the zip were skipped. Everything else was imported",
  ]);
  expect([done.documents.created, done.not_stored.total]).toEqual([3, 5]);
});

test("a zip that was changed or cut off imports nothing", async () => {
  const ada = await person();
  await create(ada, { title: "A" });
  const zip = await accountZip(ada);
  const bob = await person();
  await expect(importZip(bob, zip.slice(0, -30))).rejects.toThrow("incomplete or damaged");
  const files = unzipSync(zip);
  const lines = text(files["commonplace-00001.ndjson"]).replace('"title":"A"', '"title":"B"');
  const other = zipSync({ ...files, "commonplace-00001.ndjson": bytesOf(lines) });
  await expect(importZip(bob, new Uint8Array(other))).rejects.toThrow("nothing was imported");
  const short = zipSync({ ...files, "commonplace-00001.ndjson": bytesOf(lines.slice(0, 200)) });
  await expect(importZip(bob, new Uint8Array(short))).rejects.toThrow("nothing was imported");
  expect((await bob.ok(documents.listDocumentsRoute)).total).toBe(0);
});
