import { expect, test } from "vitest";
import * as documents from "../../../src/features/documents/routes.ts";
import { person } from "../../kit/client.ts";
import { accountOf, workOf } from "../../kit/hooks.ts";
import { ask, expectRefusals, stateless, use } from "../../kit/mcp.ts";
import { connect } from "../../kit/oauth.ts";
import { pdfOf, pdfPage } from "../../kit/pdf.ts";
import { write } from "../../kit/search.ts";
import { bytesOf, png, upload, webp } from "../../kit/stored-files.ts";

const paper = (...pages: string[]) => new Uint8Array(pdfOf(pages.map(pdfPage)));

/** A person, and an assistant that is connected to the account. */
async function withAssistant(email: string) {
  const ada = await person({ email });
  const { mcp } = await connect(email);
  return { ada, mcp, claude: stateless(mcp) };
}

const blocksOf = async (mcp: Parameters<typeof ask>[0], id: string) => {
  const { result } = await ask(mcp, "tools/call", { name: "fetch", arguments: { id } });
  const content = (result?.content ?? []) as Record<string, unknown>[];
  return content.slice(1);
};

test("an assistant finds a page of a file, reads it, and goes on, but not in another account's", async () => {
  const { ada, mcp, claude } = await withAssistant("reads@example.com");
  const lease = await write(ada, "Lease", "The flat");
  const pages = ["The landlord", `${"long ".repeat(9000)}`, "Notice: ninety days"];
  const file = await upload(ada, paper(...pages), {
    name: "contract.pdf",
    query: `?document_id=${lease.id}`,
  });
  expect(await use(claude, "fetch", { id: `file:${file.id}` })).toMatchObject({
    text: expect.stringContaining("being read"),
  });
  await workOf(accountOf(ada));
  const { results } = (await use(claude, "search", { query: "ninety days" })) as {
    results: Record<string, unknown>[];
  };
  expect(results[0]).toMatchObject({
    id: `doc:${lease.id}`,
    file: `contract.pdf, page 3: file:${file.id}#3`,
  });
  expect(await use(claude, "fetch", { id: `doc:${lease.id}` })).toMatchObject({
    metadata: { files: [{ id: `file:${file.id}`, name: "contract.pdf", type: "application/pdf", pages: 3 }] },
  });
  const first = await use(claude, "fetch", { id: `file:${file.id}` });
  expect(first).toMatchObject({
    title: "contract.pdf",
    metadata: { pages: 3, document_ids: [`doc:${lease.id}`] },
  });
  expect(first.text).toBe(`[page 1]\nThe landlord\n\n[fetch file:${file.id}#2 to continue]`);
  expect((await use(claude, "fetch", { id: `file:${file.id}#3` })).text).toBe(
    "[page 3]\nNotice: ninety days",
  );
  await expectRefusals(claude, [["fetch", { id: `file:${file.id}#4` }, "page 4"]]);
  const link = { type: "resource_link", uri: first.url, mimeType: "application/pdf", size: file.bytes };
  expect(await blocksOf(mcp, `file:${file.id}`)).toEqual([{ ...link, name: "contract.pdf" }]);
  const { id: bobs } = await upload(await person(), bytesOf("private"), { name: "private.txt" });
  for (const id of ["00000000-0000-7000-8000-000000000000", bobs])
    expect(await use(claude, "fetch", { id: `file:${id}` })).toHaveProperty("refused");
});

test("an assistant sees a picture, smaller where there is a smaller one", async () => {
  const { ada, mcp } = await withAssistant("sees@example.com");
  const bytes = png();
  const small = await upload(ada, bytes);
  expect(await blocksOf(mcp, `file:${small.id}`)).toEqual([
    { type: "image", data: Buffer.from(bytes).toString("base64"), mimeType: "image/png" },
  ]);
  const large = await upload(ada, new Uint8Array([...png(), ...new Uint8Array(1_100_000)]), {
    name: "large.png",
  });
  expect(await blocksOf(mcp, `file:${large.id}`)).toMatchObject([
    { type: "resource_link", name: "large.png" },
  ]);
  const thumbnail = webp("smaller");
  const sent = await ada.fetch(`/api/files/${large.id}/thumbnails/1000`, { method: "PUT", body: thumbnail });
  expect(sent.status).toBe(204);
  expect(await blocksOf(mcp, `file:${large.id}`)).toEqual([
    { type: "image", data: Buffer.from(thumbnail).toString("base64"), mimeType: "image/webp" },
  ]);
});

test("an assistant gives files with what it writes, as bytes or by an address", async () => {
  const { ada, claude } = await withAssistant("gives@example.com");
  const data = Buffer.from("Invoice 4711").toString("base64");
  const files = [{ name: "invoice.txt", data }];
  const created = await use(claude, "create_document", { title: "Bill", text: "From the plumber", files });
  expect(created.files).toHaveLength(1);
  const [id = ""] = created.files as string[];
  await workOf(accountOf(ada));
  expect(await use(claude, "fetch", { id })).toMatchObject({
    title: "invoice.txt",
    text: "[part 1]\nInvoice 4711",
  });
  const record = { memory_type: "commitment", topic: "Pay", content: "the plumber" };
  const again = await use(claude, "remember", { ...record, files });
  expect(again.files).toEqual([id]);
  const fetched = [{ url: "https://files.example.com/client.json" }];
  const edit = { ids: [created.id], operation: "set_fields", files: fetched };
  const edited = await use(claude, "edit_document", edit);
  const versioned = { ...edit, expected_version: 1 };
  await expectRefusals(claude, [["edit_document", versioned, "files alone change no version"]]);
  const [other = ""] = edited.files as string[];
  expect(await use(claude, "fetch", { id: other })).toMatchObject({ title: "client.json" });
  expect(await use(claude, "fetch", { id: created.id })).toMatchObject({
    metadata: { files: [{ name: "invoice.txt" }, { name: "client.json" }] },
  });
});

test("what cannot be had is refused before anything is written", async () => {
  const { ada, claude } = await withAssistant("refused@example.com");
  const refusals: [file: object, why: string][] = [
    [{ url: "https://files.example.com/nothing" }, "answered 404"],
    [{ url: "http://files.example.com/client.json" }, "must begin with https://"],
    [{ url: "https://10.0.0.7/secret" }, "public address"],
    [{ url: "https://localhost/secret" }, "public address"],
    [{ url: "file:///etc/passwd" }, "must begin with https://"],
    [{ url: "nonsense" }, "is not a valid URL"],
    [{ name: "x", data: "no base64!" }, "base64"],
    [{ name: "x" }, "either data (base64) or url"],
    [{ data: "eA==", url: "https://files.example.com/client.json" }, "either data (base64) or url"],
  ];
  const document = { title: "Never", text: "written" };
  for (const [file, why] of refusals)
    await expectRefusals(claude, [["create_document", { ...document, files: [file] }, why]]);
  expect((await ada.ok(documents.listDocumentsRoute)).total).toBe(0);
  const hostile = [{ url: "https://files.example.com/a+b&%ff%2.json" }];
  const named = await use(claude, "remember", {
    ...{ memory_type: "context", topic: "Named", content: "badly", files: hostile },
  });
  const [badly = ""] = named.files as string[];
  expect(await use(claude, "fetch", { id: badly })).toMatchObject({ title: "a+b&\ufffd%2.json" });
  // Each hop is an address that others have chosen.
  const led = await use(claude, "remember", {
    ...{ memory_type: "context", topic: "Moved", content: "on" },
    files: [{ url: "https://files.example.com/moved.json", name: "moved" }],
  });
  expect(led.files).toHaveLength(1);
});
