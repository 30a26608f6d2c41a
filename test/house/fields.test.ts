import { env } from "cloudflare:workers";
import { getTableColumns } from "drizzle-orm";
import { expect, test } from "vitest";
import { DOCUMENT_FIELDS } from "../../src/contract/document-fields.ts";
import { fieldNamesWith } from "../../src/contract/field-spec.ts";
import { MEMORY_FIELDS } from "../../src/contract/memory-fields.ts";
import { documentBytes, eventBytes, recordBytes } from "../../src/features/billing/sizes.ts";
import { createDocumentRoute } from "../../src/features/documents/routes.ts";
import { createMemoryRoute, resolveMemoryRoute } from "../../src/features/memories/routes.ts";
import { document_versions, documents, memories } from "../../src/platform/db/tables.ts";
import { person } from "../kit/client.ts";
import { numberOf } from "../kit/ctx.ts";
import { countedOf } from "../kit/usage.ts";

// What the definitions of documents and records say, compared with the database.

const columnsOf = (table: Parameters<typeof getTableColumns>[0]) => Object.keys(getTableColumns(table));

test("every column of a document and of a record is defined, and versions keep what they are said to keep", () => {
  const derived = ["open_tasks", "done_tasks", "excerpt", "title_key", "owner", "activity"];
  expect(columnsOf(documents).sort()).toEqual([...Object.keys(DOCUMENT_FIELDS), ...derived].sort());
  const ofRecord = [...Object.keys(MEMORY_FIELDS), "id", "owner", "activity"];
  expect(columnsOf(memories).sort()).toEqual(ofRecord.sort());
  const versioned = fieldNamesWith(DOCUMENT_FIELDS, "versioned");
  expect(columnsOf(document_versions)).toEqual(expect.arrayContaining(versioned));
});

test("what counts of a document and of a record is what the database counts", async () => {
  const ada = await person();
  const said = { title: "Größe", content: { text: "naïve 😀" }, tags: ["été"] };
  await ada.ok(createDocumentRoute, { json: said });
  const size = documentBytes(said);
  const owner = await numberOf(ada);
  expect((await countedOf(owner)).bytes).toBe(size);

  const body = {
    memory_type: "commitment",
    topic: "Größe",
    content: "naïve",
    project: "Ünder",
    tags: ["é"],
  } as const;
  const { id } = await ada.ok(createMemoryRoute, { json: body });
  const resolution_note = "fertig – ja";
  await ada.ok(resolveMemoryRoute, { params: { memory_id: String(id) }, json: { resolution_note } });
  const record = { ...body, tags: [...body.tags], resolution_note, note: null, next_values: null };
  const events = env.DB.prepare("SELECT state, note FROM memory_events WHERE owner = ?").bind(owner);
  let history = 0;
  for (const { state, note } of (await events.all<{ state: string | null; note: string | null }>()).results)
    history += eventBytes({ state: null, note }) + new TextEncoder().encode(state ?? "").length;
  expect((await countedOf(owner)).bytes).toBe(size + recordBytes(record) + history);
});
