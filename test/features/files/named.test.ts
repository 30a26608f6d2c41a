import { expect, test } from "vitest";
import * as documents from "../../../src/features/documents/routes.ts";
import * as links from "../../../src/features/files/link-routes.ts";
import { deleteFileRoute, getFileRoute, restoreFileRoute } from "../../../src/features/files/routes.ts";
import { type Client, person } from "../../kit/client.ts";
import { send } from "../../kit/files.ts";
import { accountOf, workOf } from "../../kit/hooks.ts";
import { find, write } from "../../kit/search.ts";
import { bytesOf, png, upload } from "../../kit/stored-files.ts";

// What a document's text names belongs to it.

const holdersOf = async (client: Client, id: string) =>
  (await client.ok(getFileRoute, { params: { file_id: id } })).document_ids;

const written = (text: string) => ({ content: { format: "markdown", text } });

test("a file that a text names is found as a part of its document, until the text no longer names it", async () => {
  const ada = await person();
  const { id } = await upload(ada, bytesOf("The plumber came at noon"), { name: "invoice.txt" });
  await workOf(accountOf(ada));
  expect(await find(ada, "plumber")).toEqual([]);
  const house = await write(ada, "House", `See [the invoice](file:${id.toUpperCase()}), and file:${id}`);
  const params = { document_id: house.id };
  expect([await find(ada, "plumber"), await holdersOf(ada, id)]).toEqual([["House"], [house.id]]);
  const edit = (json: Record<string, unknown>) => ada.ok(documents.editDocumentRoute, { params, json });

  await edit({ operation: "append", text: "and more" });
  expect(await holdersOf(ada, id)).toEqual([house.id]);
  await edit({ operation: "replace_all", text: "nothing" });
  expect([await find(ada, "plumber"), await holdersOf(ada, id)]).toEqual([[], []]);
  await ada.ok(documents.restoreVersionRoute, { params: { ...params, version: "1" } });
  expect(await holdersOf(ada, id)).toEqual([house.id]);
  await ada.ok(documents.updateDocumentRoute, { params, json: { title: "Home" } });
  expect(await find(ada, "plumber")).toEqual(["Home"]);
  await ada.call(documents.deleteDocumentRoute, { params });
  await ada.ok(documents.restoreDocumentRoute, { params });
  expect(await find(ada, "plumber")).toEqual(["Home"]);

  const cover = await upload(ada, png(), { name: "cover.png" });
  const operations = [
    { operation: "create", title: "Book", content: { front_matter: { cover: `file:${cover.id}` } } },
    { operation: "update", id: house.id, ...written("sold") },
  ];
  const { results } = await ada.ok(documents.bulkDocumentsRoute, { json: { operations } });
  expect(await holdersOf(ada, cover.id)).toEqual([results[0]?.id]);
  expect(await holdersOf(ada, id)).toEqual([]);
});

test("a file that comes back out of the trash belongs to what it belonged to, also if that was written meanwhile", async () => {
  const ada = await person();
  const { id } = await upload(ada, bytesOf("The plumber came at noon"), { name: "invoice.txt" });
  await workOf(accountOf(ada));
  const [named, attached] = [await write(ada, "Named", `file:${id}`), await write(ada, "Attached")];
  const params = { document_id: attached.id };
  await ada.ok(links.attachToDocumentRoute, { params: { ...params, file_id: id } });
  // What is attached and never named stays attached, whatever is written.
  await ada.ok(documents.updateDocumentRoute, { params, json: written("other") });
  expect((await holdersOf(ada, id)).sort()).toEqual([named.id, attached.id].sort());
  await ada.call(deleteFileRoute, { params: { file_id: id } });
  await write(ada, "Later", `file:${id}`);
  const more = { params: { document_id: named.id }, json: { operation: "append", text: "more" } };
  await ada.ok(documents.editDocumentRoute, more);
  expect(await find(ada, "plumber")).toEqual([]);
  await ada.ok(restoreFileRoute, { params: { file_id: id } });
  expect((await find(ada, "plumber")).sort()).toEqual(["Attached", "Later", "Named"]);
});

test("an export brings back what its texts name, also over what is there", async () => {
  const ada = await person();
  const [one, other] = [await upload(ada), await upload(ada)];
  const note = await write(ada, "Note", `![](file:${one.id})`);
  const params = { document_id: note.id };
  const lines = await (await ada.fetch("/api/export")).text();
  await ada.ok(documents.updateDocumentRoute, { params, json: written(`![](file:${other.id})`) });
  await send(ada, lines, "?mode=overwrite");
  expect([await holdersOf(ada, one.id), await holdersOf(ada, other.id)]).toEqual([[note.id], []]);
  await send(ada, lines, "?mode=copy");
  expect(await holdersOf(ada, one.id)).toHaveLength(2);
});

test("the id of another account's file is nothing but text", async () => {
  const [ada, eve] = [await person(), await person()];
  const { id } = await upload(ada, bytesOf("a secret recipe"), { name: "secret.txt" });
  await workOf(accountOf(ada));
  const answers = [];
  for (const file of [id, crypto.randomUUID()]) {
    const { title, content, version } = await write(eve, "Guess", `![](file:${file})`);
    answers.push(JSON.stringify({ title, content, version }).replace(file, ""));
  }
  expect(answers[0]).toEqual(answers[1]);
  expect([await find(eve, "recipe"), await holdersOf(ada, id)]).toEqual([[], []]);
});
