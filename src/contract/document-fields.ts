import { z } from "@hono/zod-openapi";
import { ExportedClientName, ExportedInstant, ExportedVersion } from "./export-fields.ts";
import type { FieldSpec } from "./field-spec.ts";
import { JsonObject, Name, Text, Timestamp, Uuid } from "./fields.ts";
import { SOURCE_TYPES } from "./record-words.ts";
import { isDotSegment, MAX_TAG_LENGTH, MAX_TAGS } from "./tag-rule.ts";

// Defines each field of a document once. Requests, responses, exports, versions, diffs, search, sizes and the API
// reference are derived from it.

export const Tag = Name(MAX_TAG_LENGTH)
  .refine((tag) => !isDotSegment(tag), "must not be . or .., which cannot be part of a URL path")
  .meta({ example: "travel" });

export const Tags = z
  .array(Tag)
  .max(MAX_TAGS)
  .transform((tags) => [...new Set(tags)]);

/** Normalized to NFC because titles are compared; otherwise unchanged. */
export const Title = Text(1, 500, z.string().normalize("NFC")).meta({ example: "Packing list" });

export const CONTENT_EXAMPLE = { format: "markdown", text: "# Packing list\n\n- passport" };

const Content = JsonObject.nullable().openapi({
  type: ["object", "null"],
  description:
    'Any JSON object. Every string in it is searchable; use `{"format": "markdown", "text": "…"}` for prose.',
  example: CONTENT_EXAMPLE,
});

export const ChangedAt = Timestamp.meta({
  description:
    "When its title or content last changed. Undoing or restoring brings back the earlier value. Changes of tags or folder " +
    "only affect `updated_at`",
});

export const TrashedAt = Timestamp.meta({
  description: "When it was moved to the trash. It is erased 30 days later",
});

export const SourceType = z.enum(SOURCE_TYPES);
export type SourceType = z.infer<typeof SourceType>;

export const tagsField = {
  requested: Tags.optional(),
  shown: z.array(z.string()),
  versioned: Tags,
  searched: "tags",
  counted: true,
  difference: "items",
  compared: z.array(z.string()),
} satisfies FieldSpec;

export const DOCUMENT_FIELDS = {
  version: {
    shown: z.int().meta({ description: "Increases with every change. The ETag is derived from it" }),
    versioned: ExportedVersion,
  },
  title: {
    meaning: "The title",
    requested: Title,
    shown: z.string(),
    versioned: Title,
    searched: "title",
    counted: true,
    difference: "values",
  },
  tags: {
    meaning: "Tags, without duplicates",
    default: [] as string[],
    ...tagsField,
  },
  folder_id: {
    meaning: "Id of its folder; null if it is in none",
    requested: Uuid.nullable().optional(),
    default: null,
    shown: Uuid.nullable(),
    versioned: Uuid.nullable(),
    difference: "values",
    label: "folder",
    compared: Uuid.nullable(),
  },
  content: {
    requested: Content.optional(),
    default: null,
    shown: z.record(z.string(), z.unknown()).optional().meta({ description: "Absent if there is none" }),
    versioned: JsonObject.nullable(),
    searched: "text",
    counted: true,
    difference: "name",
  },
  source_type: { meaning: "The kind of program that created it", shown: SourceType, versioned: SourceType },
  created_at: { shown: Timestamp, versioned: ExportedInstant },
  id: { shown: Uuid },
  updated_at: { shown: Timestamp, exported: ExportedInstant },
  changed_at: { shown: ChangedAt, versioned: ExportedInstant.nullable().default(null) },
  writer_source_type: { exported: SourceType.nullable() },
  writer_client_name: { exported: ExportedClientName },
  trashed_at: { exported: ExportedInstant.nullable() },
} satisfies Record<string, FieldSpec>;
