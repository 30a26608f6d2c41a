import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { deleteMeRoute } from "../../src/features/auth/routes.ts";
import { bulkDocuments } from "../../src/features/documents/bulk-store.ts";
import * as documents from "../../src/features/documents/routes.ts";
import { exportAccountRoute } from "../../src/features/export/routes.ts";
import { createFolderRoute, deleteFolderRoute } from "../../src/features/folders/routes.ts";
import { importAccountRoute } from "../../src/features/import/routes.ts";
import { renameTagRoute } from "../../src/features/tags/routes.ts";
import { emptyTrashRoute } from "../../src/features/trash/routes.ts";
import { purge } from "../../src/purge.ts";
import { type Client, PASSWORD, person } from "../kit/client.ts";
import { ctxOf, numberOf } from "../kit/ctx.ts";
import { ClientOf } from "../kit/database.ts";
import { find, search, write } from "../kit/search.ts";
import { type Transaction, watchedDatabase } from "../kit/transactions.ts";

// While D1 carries out a transaction, all others wait. So it must not be too large, however long the texts are.

/** A text of about so many characters, with few different words, which are quickly analysed. */
const textOf = (characters: number, word = "walrus") =>
  `${word} ${"lorem ipsum ".repeat(Math.ceil(characters / 12))}`;
const LONG = 140_000;
/** Bytes in the index for each character of these texts: three forms of a word, each with its owner's number. */
const INDEXED_BYTES = 6;
/** What a transaction may write to the index together with other things, or for several texts. */
const SHARED = 128 * 1024 * INDEXED_BYTES;

/** The statements that write a text to the index by itself: its words, its entry, and the merge of segments. */
const INDEXING = 3;

const rowsIn = ({ statements }: Transaction) =>
  statements.filter((query) => /^(insert into|update) "?documents"?/i.test(query)).length;

/** The same person, with a list of the transactions that their requests send. */
function watched(client: Client, ahead?: (next: Transaction) => void | Promise<void>) {
  const { db, transactions } = watchedDatabase(ahead);
  return { client: new ClientOf(client, db), transactions };
}

function expectShort(transactions: Transaction[]) {
  for (const one of transactions) {
    expect(one.indexed).toBeLessThan(LONG * INDEXED_BYTES);
    if (one.indexed > SHARED) expect([rowsIn(one), one.statements.length]).toEqual([0, INDEXING]);
  }
}

const titlesOf = (client: Client, q: string) => find(client, q, { limit: 100 });
const notesOf = async (client: Client, q: string) => (await search(client, q)).notes ?? [];
const params = ({ id }: { id: string }) => ({ document_id: id });
const isIndexing = ({ indexed, statements }: Transaction) => indexed > 0 && statements.length === INDEXING;

describe("a long text", () => {
  test("is indexed by itself, and found as soon as the request is answered", async () => {
    const ada = await person();
    const { client, transactions } = watched(ada);
    const { id } = await write(client, "first", textOf(LONG));
    expect(await titlesOf(ada, "walrus")).toEqual(["first"]);
    await client.ok(documents.updateDocumentRoute, { params: params({ id }), json: { title: "second" } });
    expect(await titlesOf(ada, "second")).toEqual(["second"]);
    const append = { operation: "append", text: "seal" };
    await client.ok(documents.editDocumentRoute, { params: params({ id }), json: append });
    expect(await titlesOf(ada, "seal")).toEqual(["second"]);
    await client.ok(documents.restoreVersionRoute, { params: { ...params({ id }), version: "1" } });
    expect([await titlesOf(ada, "first"), await titlesOf(ada, "seal")]).toEqual([["first"], []]);
    await client.call(documents.deleteDocumentRoute, { params: params({ id }) });
    expect(await titlesOf(ada, "walrus")).toEqual([]);
    await client.ok(documents.restoreDocumentRoute, { params: params({ id }) });
    expect(await titlesOf(ada, "walrus")).toEqual(["first"]);
    expectShort(transactions);
    expect(transactions.filter(isIndexing)).toHaveLength(5);
    expect(await notesOf(ada, "walrus")).toEqual([]);
  });

  test("of ordinary length is written and indexed in one transaction", async () => {
    const { client, transactions } = watched(await person());
    await write(client, "short", textOf(20_000));
    expect(transactions.filter(({ indexed }) => indexed > 0).map(rowsIn)).toEqual([1]);
  });

  test("is found by its old words until it is indexed, which the search says, and the cron handler ends", async () => {
    const ada = await person();
    const { id } = await write(ada, "before", textOf(LONG, "otter"));
    const killed = watched(ada, (next) => {
      if (isIndexing(next)) throw new Error("The Worker was stopped");
    });
    const content = { format: "markdown", text: textOf(LONG, "badger") };
    await killed.client.call(documents.updateDocumentRoute, { params: params({ id }), json: { content } });
    await killed.client.call(documents.createDocumentRoute, { json: { title: "new", content } });
    expect([await titlesOf(ada, "otter"), await titlesOf(ada, "badger")]).toEqual([["before"], []]);
    expect(await notesOf(ada, "badger")).toEqual([expect.stringMatching(/^2 long texts .* not indexed yet/)]);
    expect(await notesOf(await person(), "badger")).toEqual([]);
    await purge(env);
    expect(await titlesOf(ada, "otter")).toEqual([]);
    expect((await titlesOf(ada, "badger")).toSorted()).toEqual(["before", "new"]);
    expect(await notesOf(ada, "badger")).toEqual([]);
    await env.DB.prepare("INSERT INTO search_index(search_index) VALUES ('integrity-check')").run();
  });

  test("that is overtaken by another change never gets the words of an earlier state", async () => {
    const ada = await person();
    const { id } = await write(ada, "note", "otter");
    const change = (client: Client, text: string) => {
      const json = { content: { format: "markdown", text } };
      return client.ok(documents.updateDocumentRoute, { params: params({ id }), json });
    };
    // An isolate queues the changes of a document; this one comes from another isolate, past the queues of this one.
    const ctx = await ctxOf(ada);
    const overtake = (text: string) => {
      const operations = [{ operation: "update" as const, id, content: { format: "markdown", text } }];
      return bulkDocuments(ctx, { operations, dry_run: false }, { source_type: "api" });
    };
    for (const next of ["seal", textOf(LONG, "seal")]) {
      const { client } = watched(ada, async (sent) => {
        if (isIndexing(sent)) expect(await overtake(next)).toMatchObject({ succeeded: 1 });
      });
      await change(client, textOf(LONG, "badger"));
      expect([await titlesOf(ada, "badger"), await titlesOf(ada, "seal")]).toEqual([[], ["note"]]);
    }
    const { client } = watched(ada, async (sent) => {
      if (isIndexing(sent)) await ada.call(documents.deleteDocumentRoute, { params: params({ id }) });
    });
    await change(client, textOf(LONG, "badger"));
    expect([await titlesOf(ada, "badger"), await notesOf(ada, "badger")]).toEqual([[], []]);
  });
});

describe("many long texts", () => {
  const make = (client: Client, count: number, tags: string[] = []) =>
    Promise.all(
      Array.from({ length: count }, (_, n) =>
        write(client, `text ${n}`, textOf(60_000, `word${n}`), { tags }),
      ),
    );

  test("are changed together in one transaction and indexed in several", async () => {
    const ada = await person();
    const all = [...(await make(ada, 6)), await write(ada, "longest", textOf(LONG))];
    const { client, transactions } = watched(ada);
    const operations = all.map(({ id }) => ({ operation: "update", id, title: "renamed" }));
    const headers = { "Idempotency-Key": "k" };
    const answer = await client.ok(documents.bulkDocumentsRoute, { json: { operations }, headers });
    expect(answer).toMatchObject({ succeeded: 7, failed: 0 });
    expect(await titlesOf(ada, "renamed word3 walrus")).toHaveLength(7);
    expectShort(transactions);
    expect(transactions.map(rowsIn).filter((rows) => rows > 0)).toEqual([7]);
    expect(await client.ok(documents.bulkDocumentsRoute, { json: { operations }, headers })).toEqual(answer);
  });

  test("are all unchanged if one of them cannot be written", async () => {
    const ada = await person();
    const all = await make(ada, 5);
    const { client } = watched(ada, (next) => {
      if (rowsIn(next) > 0) throw new Error("The Worker was stopped");
    });
    const operations = all.map(({ id }) => ({ operation: "update", id, title: "renamed" }));
    expect((await client.call(documents.bulkDocumentsRoute, { json: { operations } })).status).toBe(500);
    expect([await titlesOf(ada, "renamed"), await notesOf(ada, "renamed")]).toEqual([[], []]);
  });

  test("are tagged and imported in short transactions", async () => {
    const ada = watched(await person());
    await make(ada.client, 5, ["sea"]);
    await ada.client.ok(renameTagRoute, { params: { name: "sea" }, json: { name: "ocean" } });
    const file = (await ada.client.call(exportAccountRoute)).text;
    const bob = watched(await person());
    const headers = { "Content-Type": "application/x-ndjson" };
    const imported = await bob.client.ok(importAccountRoute, { headers, body: file });
    expect([imported.status, imported.documents.created]).toEqual(["done", 5]);
    for (const { client, transactions } of [ada, bob]) {
      expect(await titlesOf(client, "ocean word4 ipsum")).toHaveLength(5);
      expectShort(transactions);
    }
    expect(await env.DB.prepare("SELECT count(*) AS n FROM import_pieces").first("n")).toBe(0);
  });

  const DOCUMENTS = 12;
  /** Documents of a megabyte each in a folder. */
  async function fill(client: Client) {
    const folder = await client.ok(createFolderRoute, { json: { name: "Long" } });
    const json = { title: "Long", folder_id: folder.id };
    for (let n = 0; n < DOCUMENTS; n++) await client.ok(documents.createDocumentRoute, { json });
    const long = `UPDATE documents SET content = '{"text": "' || hex(zeroblob(500000)) || '"}' WHERE owner = ?`;
    await env.DB.prepare(long)
      .bind(await numberOf(client))
      .run();
    return folder;
  }

  test("are trashed with their folder, and erased, a few at a time", async () => {
    const { client, transactions } = watched(await person());
    const folder = await fill(client);
    const steps = async (request: Promise<{ status: number }>, of: RegExp) => {
      transactions.length = 0;
      expect((await request).status).toBe(204);
      return transactions.filter(({ statements }) => statements.some((query) => of.test(query))).length;
    };
    const query = { on_content: "trash" } as const;
    const gone = client.call(deleteFolderRoute, { params: { folder_id: folder.id }, query });
    expect(await steps(gone, /^UPDATE documents/)).toBe(DOCUMENTS / 2);
    expect(await steps(client.call(emptyTrashRoute), /^DELETE FROM documents/)).toBeGreaterThan(1);
    await fill(client);
    const closed = client.call(deleteMeRoute, { json: { password: PASSWORD } });
    expect(await steps(closed, /^DELETE FROM documents/)).toBeGreaterThan(1);
  });
});
