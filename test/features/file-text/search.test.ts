import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { SearchResult } from "../../../src/contract/search.ts";
import { deleteDocumentRoute, restoreDocumentRoute } from "../../../src/features/documents/routes.ts";
import { attachToDocumentRoute, detachFromDocumentRoute } from "../../../src/features/files/link-routes.ts";
import * as files from "../../../src/features/files/routes.ts";
import { createMemoryRoute } from "../../../src/features/memories/routes.ts";
import { reindexRoute } from "../../../src/features/search/routes.ts";
import { type Client, person } from "../../kit/client.ts";
import { accountOf, workOf } from "../../kit/hooks.ts";
import { pdfOf, pdfPage } from "../../kit/pdf.ts";
import { find, search, write } from "../../kit/search.ts";
import { bytesOf, png, upload } from "../../kit/stored-files.ts";

const contract = (...pages: string[]) => new Uint8Array(pdfOf(pages.map(pdfPage)));

/** Stores a file, and runs the work that follows the answer. */
async function stored(client: Client, bytes: Uint8Array<ArrayBuffer>, name: string, query = "") {
  const file = await upload(client, bytes, { name, query });
  await workOf(accountOf(client));
  return file;
}

const stateOf = (client: Client, { id }: { id: string }) =>
  client.ok(files.getFileRoute, { params: { file_id: id } });

const fileIn = (result: SearchResult | undefined) => result?.file;

test("a document is found by a page of its file, and the answer says which", async () => {
  const ada = await person();
  const lease = await write(ada, "Lease", "The flat in Elm Street");
  await write(ada, "Other", "nothing of the kind");
  const bytes = contract("First page", "The deposit is three rents", "Notice period: ninety days");
  const file = await upload(ada, bytes, { name: "contract.pdf", query: `?document_id=${lease.id}` });
  expect(file.text_state).toBe("waiting");
  await workOf(accountOf(ada));
  expect(await stateOf(ada, file)).toMatchObject({ text_state: "done", text_note: null, pages: 3 });
  const { results, total } = await search(ada, "ninety days");
  expect(total).toBe(1);
  expect(results[0]).toMatchObject({
    document: { id: lease.id, title: "Lease" },
    file: { id: file.id, name: "contract.pdf", page: 3 },
    snippet: "Notice period: ninety days",
  });
  // Some of it in the file, some in the document: both have all the words together.
  expect((await search(ada, "elm deposit")).results[0]).toMatchObject({ document: { id: lease.id } });
  expect((await search(ada, "elm deposit")).results[0]?.matched).toBeUndefined();
  // What the document says itself is found in the document.
  expect(fileIn((await search(ada, "street")).results[0])).toBeUndefined();
  // Filters are about the document.
  expect(await find(ada, "ninety before:2020-01-01")).toEqual([]);
  expect(await find(ada, "ninety title:lease")).toEqual(["Lease"]);
  expect((await search(ada, "nintey", { type: "all" })).results[0]).toMatchObject({
    matched_as: { nintey: "ninety" },
  });
});

test("a record is found by its file, and by no other account", async () => {
  const [ada, bob] = [await person(), await person()];
  const json = { memory_type: "commitment", topic: "Pay the bill", content: "by May" };
  const bill = await ada.ok(createMemoryRoute, { json });
  await stored(ada, bytesOf("Invoice 4711 of the plumber"), "invoice.txt", `?memory_id=${bill.id}`);
  await write(bob, "Mine", "about pipes");
  const { results } = await search(ada, "plumber", { type: "memories" });
  expect(results[0]).toMatchObject({ memory: { id: bill.id }, file: { name: "invoice.txt", part: 1 } });
  expect((await search(ada, "plumber")).total).toBe(0);
  expect((await search(bob, "plumber", { type: "all" })).total).toBe(0);
});

test("a picture is found by its name and caption, also when they change", async () => {
  const ada = await person();
  const trip = await write(ada, "Trip", "to the sea");
  const { id } = await stored(ada, png(), "lighthouse.png", `?document_id=${trip.id}`);
  const found = { document: { title: "Trip" }, file: { id } };
  expect((await search(ada, "lighthouse")).results[0]).toMatchObject(found);
  const json = { name: "pier.png", alt: "Gulls over the water" };
  await ada.ok(files.updateFileRoute, { params: { file_id: id }, json });
  await workOf(accountOf(ada));
  expect((await search(ada, "gulls")).results[0]).toMatchObject({
    file: { name: "pier.png" },
    snippet: "pier.png\nGulls over the water",
  });
  expect(await find(ada, "lighthouse")).toEqual([]);
});

test("attaching, detaching, the trash and erasure keep the index right", async () => {
  const ada = await person();
  const [one, two] = [await write(ada, "One", "first"), await write(ada, "Two", "second")];
  const { id } = await stored(ada, contract("unmistakable"), "paper.pdf", `?document_id=${one.id}`);
  const found = () => find(ada, "unmistakable");
  const link = (document_id: string) => ({ params: { file_id: id, document_id } });
  expect(await found()).toEqual(["One"]);
  await ada.ok(attachToDocumentRoute, link(two.id));
  expect((await found()).toSorted()).toEqual(["One", "Two"]);
  await ada.ok(detachFromDocumentRoute, link(one.id));
  expect(await found()).toEqual(["Two"]);
  await ada.ok(deleteDocumentRoute, { params: { document_id: two.id } });
  expect(await found()).toEqual([]);
  await ada.ok(restoreDocumentRoute, { params: { document_id: two.id } });
  expect(await found()).toEqual(["Two"]);
  await ada.ok(files.deleteFileRoute, { params: { file_id: id } });
  expect(await found()).toEqual([]);
  await ada.ok(files.restoreFileRoute, { params: { file_id: id } });
  expect(await found()).toEqual(["Two"]);
  await ada.ok(files.deleteFileRoute, { params: { file_id: id }, query: { permanent: "true" } });
  expect(await found()).toEqual([]);
  for (const table of ["file_texts", "file_words", "search_entries WHERE kind = 'file'"])
    expect(await env.DB.prepare(`SELECT count(*) AS n FROM ${table}`).first("n")).toBe(0);
});

test("a file that cannot be read says why, and one that is always interrupted is given up", async () => {
  const ada = await person();
  const note = await write(ada, "Note");
  const failed = (why: string) => ({ text_state: "failed", text_note: expect.stringContaining(why) });
  const bytes = bytesOf("%PDF-1.7 and nothing else");
  const broken = await stored(ada, bytes, "broken.pdf", `?document_id=${note.id}`);
  expect(await stateOf(ada, broken)).toMatchObject(failed("damaged"));
  expect(await find(ada, "broken")).toEqual(["Note"]);
  const killer = await upload(ada, contract("never read"), { name: "killer.pdf" });
  await env.DB.prepare("UPDATE file_words SET tries = 3 WHERE file_id = ?").bind(killer.id).run();
  await workOf(accountOf(ada));
  expect(await stateOf(ada, killer)).toMatchObject(failed("interrupted"));
});

test("reindexing writes the words of files again", async () => {
  const ada = await person();
  await env.DB.prepare("UPDATE users SET role = 'admin'").run();
  const note = await write(ada, "Note");
  await stored(ada, contract("reindexed words"), "again.pdf", `?document_id=${note.id}`);
  await env.DB.prepare("DELETE FROM search_index WHERE rowid > 0").run();
  expect(await find(ada, "reindexed")).toEqual([]);
  await env.DB.prepare("INSERT INTO search_index (search_index) VALUES ('delete-all')")
    .run()
    .catch(() => undefined);
  await ada.ok(reindexRoute, { json: { all: true } });
  expect(await find(ada, "reindexed")).toEqual(["Note"]);
  expect(await find(ada, "again.pdf")).toEqual(["Note"]);
});
