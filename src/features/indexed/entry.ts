import { getTableColumns } from "drizzle-orm";
import { DOCUMENT } from "../../contract/document-fields.ts";
import { type Field, namesOf } from "../../contract/field.ts";
import { contentText } from "../../contract/markdown/content-text.ts";
import { MEMORY } from "../../contract/memory-fields.ts";
import { documents, memories } from "../../platform/db/tables.ts";
import { factsOf } from "./facts.ts";

export const KINDS = {
  document: { fields: DOCUMENT, table: documents },
  memory: { fields: MEMORY, table: memories },
} as const;
export type Kind = keyof typeof KINDS;

export const searchedColumns = (kind: Kind): string[] => namesOf(KINDS[kind].fields, "searched");

function textsIn(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value : [contentText(value as Record<string, unknown>)];
}

function searchableTexts(fields: Record<string, Field>, row: object) {
  const values = row as Record<string, unknown>;
  const textsFor = (part: Field["searched"]) =>
    namesOf(fields, "searched", part).flatMap((name) => textsIn(values[name]));
  return { title: textsFor("title").join(" "), tags: textsFor("tags"), text: textsFor("text").join("\n") };
}

type DocumentTexts = Pick<typeof documents.$inferSelect, "title" | "tags" | "content">;

export const documentEntry = (document: DocumentTexts) => searchableTexts(DOCUMENT, document);

type MemoryTexts = Pick<
  typeof memories.$inferSelect,
  "topic" | "content" | "tags" | "project" | "memory_type" | "due_date" | "resolution_note" | "note"
>;

/** The texts and facts by which a record is found. Its project is indexed like a tag, and its note like its content. */
export const memoryEntry = (memory: MemoryTexts) => ({
  ...searchableTexts(MEMORY, memory),
  facts: factsOf(memory),
});

export function storedEntry(kind: Kind, row: Record<string, unknown>) {
  const columns: Record<string, { dataType: string }> = getTableColumns(KINDS[kind].table);
  const decoded = (name: string) => {
    const value = row[name];
    return columns[name]?.dataType === "json" && typeof value === "string" ? JSON.parse(value) : value;
  };
  const texts: unknown = Object.fromEntries(searchedColumns(kind).map((name) => [name, decoded(name)]));
  return kind === "document" ? documentEntry(texts as DocumentTexts) : memoryEntry(texts as MemoryTexts);
}
