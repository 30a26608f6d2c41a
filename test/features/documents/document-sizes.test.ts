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

// A document is measured in bytes as it is stored, whatever the characters and numbers that it is sent as.

const TOO_LARGE = /would take [12],\d\d\d,\d\d\d bytes .* the limit is 1,998,600: split/;

/** A JSON number of 4 characters that is stored as 21. */
const numbers = (count: number) => `[${Array.from({ length: count }, () => "1e20").join()}]`;

const create = (client: Client, content: string, title = "Large") =>
  client.call(documents.createDocumentRoute, {
    body: `{"title":${JSON.stringify(title)},"content":${content}}`,
  });

const prose = (text: string) => JSON.stringify({ format: "markdown", text });

const edit = (client: Client, id: string, json: Record<string, unknown>) =>
  client.call(documents.editDocumentRoute, { params: { document_id: id }, json });

/** How many ASCII characters can be appended to a document, in a line of their own. */
const roomOf = async (id: string) => {
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
  const refused = await create(ada, `{"n":${numbers(200_000)}}`);
  expect(refused.status).toBe(413);
  expect(refused.text).toMatch(/would take 4,400,\d\d\d bytes/);
  expect((await create(ada, `{"n":${numbers(90_000)}}`)).status).toBe(201);

  const {
    body: { id },
  } = await create(ada, "{}");
  const params = { document_id: id };
  const body = `{"content":{"n":${numbers(91_000)}}}`;
  const updated = await ada.call(documents.updateDocumentRoute, { params, body });
  expect(updated.status).toBe(413);
  expect(updated.text).toMatch(TOO_LARGE);
  const operations = `{"operations":[{"operation":"create","title":"A","content":{"n":${numbers(91_000)}}},
    {"operation":"update","id":"${id}","content":{"n":${numbers(91_000)}}},{"operation":"create","title":"B"}]}`;
  const { results } = await ada.ok(documents.bulkDocumentsRoute, { body: operations });
  expect(results.map(({ ok }) => ok)).toEqual([false, false, true]);
  for (const { detail } of results.slice(0, 2)) expect(detail).toMatch(TOO_LARGE);
});

test("an edit is refused where the document would be larger than a row, by one byte, in every alphabet", async () => {
  const ada = await person();
  const {
    body: { id },
  } = await create(ada, prose("字".repeat(330_000)));
  const append = (text: string) => edit(ada, id, { operation: "append", text });
  expect((await append("字".repeat(340_000))).text).toMatch(TOO_LARGE);
  expect((await append("字".repeat(300_000))).status).toBe(200);
  const room = await roomOf(id);
  expect((await append("x".repeat(room + 1))).status).toBe(413);
  expect((await append("x".repeat(room))).status).toBe(200);
  const params = { document_id: id };
  const longer = await ada.call(documents.updateDocumentRoute, { params, json: { title: "Larger" } });
  expect(longer.text).toMatch(TOO_LARGE);
  const tagged = await ada.call(documents.updateDocumentRoute, { params, json: { tags: ["a"] } });
  expect(tagged.text).toMatch(TOO_LARGE);
  const tool = callTool(await ctxOf(ada), editDocumentTool, { ids: [id], operation: "append", text: "y" });
  await expect(tool).rejects.toThrow(TOO_LARGE);
  await ada.ok(documents.updateDocumentRoute, { params, json: { title: "Less" } });

  for (const table of ["documents", "document_versions"])
    expect(await largestRow(table), table).toBeLessThanOrEqual(MAX_VALUE);
});

test("the largest row has the longest values in its other columns, too", async () => {
  const ada = await person();
  const headers = { "X-Client-Name": "n".repeat(100) };
  const {
    body: { id },
  } = await create(ada, prose("x".repeat(1_000_000)), "字".repeat(60));
  const folder = "01936b1e-7c3a-7f10-9a53-2f6f3c1d8e42";
  const json = { operation: "append", text: "x".repeat(await roomOf(id)) };
  await ada.ok(documents.editDocumentRoute, { params: { document_id: id }, json, headers });
  // An import can bring a name of 200 characters.
  await env.DB.prepare(
    "UPDATE documents SET writer_client_name = ?, trashed_at = updated_at, version = 2147483647, activity = 2147483647, open_tasks = 333000, done_tasks = 333000 WHERE id = ?",
  )
    .bind("字".repeat(200), id)
    .run();
  const row = await largestRow("documents");
  expect(row + folder.length).toBeLessThanOrEqual(MAX_VALUE);
  expect(row).toBeGreaterThan(MAX_DOCUMENT_BYTES);
});

test("what was stored before there was a limit can be read, moved, made smaller and undone, but not grow", async () => {
  const ada = await person();
  const {
    body: { id },
  } = await create(ada, prose("x".repeat(900_000)));
  const params = { document_id: id };
  await env.DB.prepare(
    "UPDATE documents SET content = json_set(content, '$.more', replace(hex(zeroblob(700000)), '0', 'y')) WHERE id = ?",
  )
    .bind(id)
    .run();
  await withLocalLimits(async () => {
    const read = await ada.ok(documents.getDocumentRoute, { params });
    expect(JSON.stringify(read.content).length).toBeGreaterThan(2_200_000);
    await ada.ok(documents.updateDocumentRoute, { params, json: { title: "Less" } });
    expect((await edit(ada, id, { operation: "append", text: "more" })).text).toMatch(TOO_LARGE);
    await ada.ok(documents.updateDocumentRoute, {
      params,
      json: { content: { format: "markdown", text: "small" } },
    });
    const back = await ada.call(documents.restoreVersionRoute, { params: { ...params, version: "1" } });
    expect(back.status).toBe(413);
    const [change] = (await ada.ok(activity.listActivityRoute)).items;
    const undone = await ada.ok(activity.undoActivityRoute, { json: { ids: [change?.id] } });
    expect(JSON.stringify(undone)).toMatch(/would take 2,/);
  });
});

test("a tag that is renamed does not make a document too large", async () => {
  const ada = await person();
  const {
    body: { id },
  } = await create(ada, prose("x".repeat(1_000_000)));
  const params = { document_id: id };
  await ada.ok(documents.updateDocumentRoute, { params, json: { tags: ["a"] } });
  const json = { operation: "append", text: "x".repeat(await roomOf(id)) };
  await ada.ok(documents.editDocumentRoute, { params, json });
  const renamed = await ada.call(renameTagRoute, { params: { name: "a" }, json: { name: "longer" } });
  expect(renamed.status).toBe(413);
  expect(renamed.text).toMatch(/would take 1,998,605 bytes/);
});
