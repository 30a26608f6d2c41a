import { z } from "@hono/zod-openapi";
import type { Access } from "./access.ts";
import { checkDependencies, type FieldDependencies } from "./field-dependencies.ts";
import { Text } from "./fields.ts";

const MAX_EDIT = 1024 * 1024;

export const editFields = {
  operation: z
    .enum(["append", "prepend", "find_replace", "replace_section", "replace_all"])
    .meta({ description: "What to do with `content.text`" }),
  text: Text(0, MAX_EDIT).meta({
    description: "The new text; its line endings are converted to the document's",
  }),
  find_text: Text(1, MAX_EDIT)
    .optional()
    .meta({ description: "find_replace: the exact text to look for; every occurrence is replaced" }),
  expected_replacements: z.int().min(1).max(1_000_000).optional().meta({
    description: "find_replace: how often find_text must occur; otherwise nothing is changed",
  }),
  section: Text(1, 1000)
    .optional()
    .meta({
      description:
        "replace_section, append, prepend: the heading, with or without its `#` signs, and with `[2]` after it for the second of " +
        "several. The section is everything below it up to the next heading of the same or a higher level: replace_section " +
        "replaces that and keeps the heading; append and prepend add at its end or start instead of the text's",
    }),
};

const onlyWithFind = { with: "operation", values: ["find_replace"] };

const EDIT_DEPENDENCIES: FieldDependencies = {
  find_text: { ...onlyWithFind, needed: ["find_replace"] },
  expected_replacements: onlyWithFind,
  section: {
    with: "operation",
    values: ["append", "prepend", "replace_section"],
    needed: ["replace_section"],
  },
};

export const DocumentEditRequest = z
  .strictObject(editFields)
  .superRefine(checkDependencies(EDIT_DEPENDENCIES))
  .meta({
    id: "DocumentEditRequest",
    example: { operation: "replace_section", section: "## Packing", text: "- passport" },
  });
export type DocumentEditRequest = z.infer<typeof DocumentEditRequest>;

type EditTarget = { operation: string; section?: string | undefined };

/** Additional access an edit needs: one that searches the text could reveal it letter by letter. */
export const accessForEdit = ({ operation, section }: EditTarget): Access[] =>
  operation === "find_replace" || section !== undefined ? ["docs:read"] : [];
