import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import * as activity from "../../../src/features/activity/routes.ts";
import { MAX_DOCUMENT_BYTES } from "../../../src/features/documents/document-size.ts";
import { editDocumentTool } from "../../../src/features/documents/edit-tools.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import { renameTagRoute } from "../../../src/features/tags/routes.ts";
import { type Client, person } from "../../kit/client.ts";
import { callTool, ctxOf } from "../../kit/ctx.ts";
import { MAX_VALUE, withLocalLimits } from "../../kit/d1-limits.ts";
import { at, prose, read } from "../../kit/documents.ts";
import { NOBODYS_ID } from "../../kit/operations.ts";

// A document is measured in bytes as it is stored, whatever the characters and numbers that it is sent as.

const TOO_LARGE = /would take [12],\d\d\d,\d\d\d bytes .* the limit is 1,998,600: split/;

/** A JSON number of 4 characters that is stored as 21. */
const numbers = (count: number) => `[${Array.from({ length: count }, () => "1e20").join()}]`;

const send = (client: Client, content: string, title = "Large") =>
  client.call(documents.createDocumentRoute, {
    body: `{"title":${JSON.stringify(title)},"content":${content}}`,
  });

/** A document with this text. */
const make = async (client: Client, text: string, title = "Large") =>
  (await send(client, JSON.stringify(prose(text)), title)).body;

const put = (client: Client, one: { id: string }, json: object) =>
  client.call(documents.updateDocumentRoute, { ...at(one), json });

const append = (client: Client, one: { id: string }, text: string, headers = {}) =>
  client.call(documents.editDocumentRoute, { ...at(one), json: { operation: "append", text }, headers });

/** How many ASCII characters can be appended to a document, in a line of their own. */
const roomOf = async ({ id }: { id: string }) => {
  const stored = "octet_length(title) + octet_length(tags) + octet_length(content)";
  const bytes = await env.DB.prepare(`SELECT ${stored} AS n FROM documents WHERE id = ?`)
    .bind(id)
    .first<number>("n");
  return MAX_DOCUMENT_BYTES - Number(bytes) - "\\n".length;
};

/** The bytes of the largest row of a table, all columns together and what SQLite writes in front of them. */
async function largestRow(table: string): Promise<number> {
  const { results } = await env.DB.prepare(`SELECT name FROM pragma_table_info('${table}')`).all<{
    name: string;
  }>();
  const columns = results.map(({ name }) => `coalesce(octet_length(${name}), 0)`).join(" + ");
  const most = await env.DB.prepare(`SELECT max(${columns}) AS bytes FROM ${table}`).first<number>("bytes");
  return Number(most) + 5 * (results.length + 1);
}

test("a document that is stored four times as long as sent is refused with its size, and says what to do", async () => {
  const ada = await person();
  const refused = await send(ada, `{"n":${numbers(200_000)}}`);
  expect([refused.status, refused.text]).toEqual([
    413,
    expect.stringMatching(/would take 4,400,\d\d\d bytes/),
  ]);
  expect((await send(ada, `{"n":${numbers(90_000)}}`)).status).toBe(201);

  const { id } = await make(ada, "");
  const large = `{"n":${numbers(91_000)}}`;
  const updated = await ada.call(documents.updateDocumentRoute, {
    ...at({ id }),
    body: `{"content":${large}}`,
  });
  expect([updated.status, updated.text]).toEqual([413, expect.stringMatching(TOO_LARGE)]);
  const body = `{"operations":[{"operation":"create","title":"A","content":${large}},
    {"operation":"update","id":"${id}","content":${large}},{"operation":"create","title":"B"}]}`;
  const { results } = await ada.ok(documents.bulkDocumentsRoute, { body });
  expect(results.map(({ ok }) => ok)).toEqual([false, false, true]);
  for (const { detail } of results.slice(0, 2)) expect(detail).toMatch(TOO_LARGE);
});

test("an edit is refused where the document would be larger than a row, by one byte, in every alphabet", async () => {
  const ada = await person();
  const one = await make(ada, "字".repeat(330_000));
  expect((await append(ada, one, "字".repeat(340_000))).text).toMatch(TOO_LARGE);
  expect((await append(ada, one, "字".repeat(300_000))).status).toBe(200);
  const room = await roomOf(one);
  expect((await append(ada, one, "x".repeat(room + 1))).status).toBe(413);
  expect((await append(ada, one, "x".repeat(room))).status).toBe(200);
  for (const json of [{ title: "Larger" }, { tags: ["a"] }])
    expect((await put(ada, one, json)).text).toMatch(TOO_LARGE);
  const tool = callTool(await ctxOf(ada), editDocumentTool, {
    ids: [one.id],
    operation: "append",
    text: "y",
  });
  await expect(tool).rejects.toThrow(TOO_LARGE);
  expect((await put(ada, one, { title: "Less" })).status).toBe(200);

  for (const table of ["documents", "document_versions"])
    expect(await largestRow(table), table).toBeLessThanOrEqual(MAX_VALUE);
});

test("the largest row has the longest values in its other columns, too", async () => {
  const ada = await person();
  const one = await make(ada, "x".repeat(1_000_000), "字".repeat(60));
  const headers = { "X-Client-Name": "n".repeat(100) };
  expect((await append(ada, one, "x".repeat(await roomOf(one)), headers)).status).toBe(200);
  // An import can bring a name of 200 characters.
  await env.DB.prepare(
    "UPDATE documents SET writer_client_name = ?, trashed_at = updated_at, version = 2147483647, activity = 2147483647, open_tasks = 333000, done_tasks = 333000 WHERE id = ?",
  )
    .bind("字".repeat(200), one.id)
    .run();
  const row = await largestRow("documents");
  expect(row + NOBODYS_ID.length).toBeLessThanOrEqual(MAX_VALUE);
  expect(row).toBeGreaterThan(MAX_DOCUMENT_BYTES);
});

test("what was stored before there was a limit can be read, moved, made smaller and undone, but not grow", async () => {
  const ada = await person();
  const one = await make(ada, "x".repeat(900_000));
  await env.DB.prepare(
    "UPDATE documents SET content = json_set(content, '$.more', replace(hex(zeroblob(700000)), '0', 'y')) WHERE id = ?",
  )
    .bind(one.id)
    .run();
  await withLocalLimits(async () => {
    expect(JSON.stringify((await read(ada, one)).content).length).toBeGreaterThan(2_200_000);
    expect((await put(ada, one, { title: "Less" })).status).toBe(200);
    expect((await append(ada, one, "more")).text).toMatch(TOO_LARGE);
    expect((await put(ada, one, { content: prose("small") })).status).toBe(200);
    const params = { document_id: one.id, version: "1" };
    expect((await ada.call(documents.restoreVersionRoute, { params })).status).toBe(413);
    const [change] = (await ada.ok(activity.listActivityRoute)).items;
    const undone = await ada.ok(activity.undoActivityRoute, { json: { ids: [change?.id] } });
    expect(JSON.stringify(undone)).toMatch(/would take 2,/);
  });
});

test("a tag that is renamed does not make a document too large", async () => {
  const ada = await person();
  const one = await make(ada, "x".repeat(1_000_000));
  await put(ada, one, { tags: ["a"] });
  await append(ada, one, "x".repeat(await roomOf(one)));
  const renamed = await ada.call(renameTagRoute, { params: { name: "a" }, json: { name: "longer" } });
  expect([renamed.status, renamed.text]).toEqual([413, expect.stringMatching(/would take 1,998,605 bytes/)]);
});
