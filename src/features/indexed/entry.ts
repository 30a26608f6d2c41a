import { getTableColumns } from "drizzle-orm";
import { DOCUMENT_FIELDS } from "../../contract/document-fields.ts";
import { type FieldSpec, fieldNamesWith } from "../../contract/field-spec.ts";
import { MEMORY_FIELDS } from "../../contract/memory-fields.ts";
import { documents, memories } from "../../platform/db/tables.ts";
import { searchableText } from "../../shared/markdown/content-text.ts";
import { memoryFacts } from "./facts.ts";

const INDEXED_KINDS = {
  document: { fields: DOCUMENT_FIELDS, table: documents },
  memory: { fields: MEMORY_FIELDS, table: memories },
} as const;
export type IndexedKind = keyof typeof INDEXED_KINDS;

export const searchableColumns = (kind: IndexedKind): string[] =>
  fieldNamesWith(INDEXED_KINDS[kind].fields, "searched");

function textsIn(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value : [searchableText(value as Record<string, unknown>)];
}

function searchableTexts(fields: Record<string, FieldSpec>, row: object) {
  const values = row as Record<string, unknown>;
  const textsFor = (part: FieldSpec["searched"]) =>
    fieldNamesWith(fields, "searched", part).flatMap((name) => textsIn(values[name]));
  return { title: textsFor("title").join(" "), tags: textsFor("tags"), text: textsFor("text").join("\n") };
}

type DocumentTexts = Pick<typeof documents.$inferSelect, "title" | "tags" | "content">;

export const documentEntry = (document: DocumentTexts) => searchableTexts(DOCUMENT_FIELDS, document);

type MemoryTexts = Pick<
  typeof memories.$inferSelect,
  "topic" | "content" | "tags" | "project" | "memory_type" | "due_date" | "resolution_note" | "note"
>;

/** The texts and facts by which a record is found. Its project is indexed like a tag, and its note like its content. */
export const memoryEntry = (memory: MemoryTexts) => ({
  ...searchableTexts(MEMORY_FIELDS, memory),
  facts: memoryFacts(memory),
});

export function entryOfRow(kind: IndexedKind, row: Record<string, unknown>) {
  const columns: Record<string, { dataType: string }> = getTableColumns(INDEXED_KINDS[kind].table);
  const decoded = (name: string) => {
    const value = row[name];
    return columns[name]?.dataType === "json" && typeof value === "string" ? JSON.parse(value) : value;
  };
  const texts: unknown = Object.fromEntries(searchableColumns(kind).map((name) => [name, decoded(name)]));
  return kind === "document" ? documentEntry(texts as DocumentTexts) : memoryEntry(texts as MemoryTexts);
}
