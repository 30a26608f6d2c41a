import { z } from "zod";
import type { Access } from "../../contract/access.ts";
import { describeDay, localDay, localMinute } from "../../contract/days.ts";
import { type DocumentWithPath, MAX_TAGS } from "../../contract/document.ts";
import { prefixedId } from "../../contract/links.ts";
import { describeProblems, hasDateProblem } from "../../contract/problems.ts";
import { badRequest } from "../../platform/core/errors.ts";
import { type FolderPath, isFolderId } from "./folder-path.ts";

// Documents and folders in the tools' input and output.

export const TagNames = z.array(z.string()).max(MAX_TAGS).optional();

/** Looking up a folder's name or path compares all names, so the caller must be allowed to read; looking up an id does not. */
export const accessToName = (folder: string | undefined): Access[] =>
  folder === undefined || isFolderId(folder) ? [] : ["docs:read"];

/** A folder in a response; path `/` is the top level. A folder that the call created comes with similar paths, for typos. */
export const ToolFolder = z.strictObject({
  id: z.string().optional(),
  path: z.string(),
  created: z.literal(true).optional(),
  similar: z.array(z.string()).optional(),
});
export type ToolFolder = z.infer<typeof ToolFolder>;

/** A folder for a response; null is the top level. */
export const toolFolder = (folder: FolderPath | null): ToolFolder =>
  folder ? { ...folder, id: prefixedId({ kind: "folder", id: folder.id }) } : { path: "/" };

export const documentReference = (id: string): string => prefixedId({ kind: "document", id });

/** Parses fields with the API's own schema. Throws a 400 that names the invalid ones. */
export function parseFields<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  throw badRequest(describeProblems(read.error, "input"), hasDateProblem(read.error) ? "day" : undefined);
}

export const FOLDER_ALIASES = {
  folder_id: "folder",
  folder_path: "folder",
  folder_name: "folder",
  path: "folder",
};
export const TEXT_ALIASES = { content: "text", body: "text", markdown: "text", name: "title" };

export const ListedDocument = z.strictObject({
  id: z.string(),
  title: z.string(),
  tags: z.array(z.string()).optional(),
  folder: ToolFolder.optional(),
  when: z.string(),
  updated_at: z.string(),
  filed_at: z.string().optional(),
});

/** `updated_at`: when the text last changed. `filed_at`: a later change of tags or folder. */
export const toolTimes = (
  { updated_at, changed_at }: Pick<DocumentWithPath, "updated_at" | "changed_at">,
  show = (instant: string) => instant,
) => ({
  updated_at: show(changed_at),
  ...(updated_at > changed_at && { filed_at: show(updated_at) }),
});

/** A document in a list. `when`: the day it was created. */
export function listedDocument(
  document: DocumentWithPath,
  { now, timezone }: { now: Date; timezone: string },
): z.infer<typeof ListedDocument> {
  const { id, title, tags, folder_id, folder_path, created_at } = document;
  return {
    id: documentReference(id),
    title,
    ...(tags.length > 0 && { tags }),
    ...(folder_id && folder_path !== null && { folder: toolFolder({ id: folder_id, path: folder_path }) }),
    when: describeDay(localDay(created_at, timezone), localDay(now, timezone)),
    ...toolTimes(document, (instant) => localMinute(instant, timezone)),
  };
}
