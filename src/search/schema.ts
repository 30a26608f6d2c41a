import { z } from "@hono/zod-openapi";
import { IntegerParam, Page, Repeated, Since, Timestamp, Uuid } from "../core/fields.ts";
import { MAX_TAGS, SourceType, Tag } from "../documents/schema.ts";

export const SearchQuery = z.object({
  q: z.string().min(1).max(500).meta({ description: "What to look for", example: "packing list" }),
  folder_id: Uuid.optional().meta({ description: "Only documents in this folder itself" }),
  tag: Repeated(Tag, MAX_TAGS)
    .optional()
    .openapi({ description: "Repeat it to ask for several tags at once" }),
  source_type: SourceType.optional(),
  updated_after: Since.optional(),
  updated_before: Since.optional(),
  highlight: z
    .enum(["mark"])
    .optional()
    .meta({ description: "`mark` makes the snippet escaped HTML with `<mark>` around the matches" }),
  ...Page,
});
export type SearchQuery = z.infer<typeof SearchQuery>;

export const SearchResult = z
  .strictObject({
    document: z.strictObject({
      id: Uuid,
      title: z.string(),
      tags: z.array(z.string()),
      source_type: SourceType,
      updated_at: Timestamp,
      folder_id: Uuid.nullable(),
    }),
    score: z.number().meta({ description: "Relevance; comparable within one answer only" }),
    snippet: z.string().meta({ description: "The passage of the text that matches best" }),
    matched: z
      .array(z.string())
      .optional()
      .meta({ description: "Which words were found, where not all of them were" }),
  })
  .meta({ id: "SearchResult" });
export type SearchResult = z.infer<typeof SearchResult>;

const Interpretation = z
  .strictObject({
    words: z.array(z.string()).meta({ description: "What was looked for, as it is compared" }),
    excluded: z.array(z.string()),
    filters: z.array(z.strictObject({ name: z.string(), value: z.string() })),
  })
  .meta({ description: "How the query was read" });
export type Interpretation = z.infer<typeof Interpretation>;

export const SearchAnswer = z
  .strictObject({
    results: z.array(SearchResult),
    total: z.int().meta({ description: "How many documents match, exactly" }),
    query: z.string().meta({ description: "The query as it was sent" }),
    interpreted: Interpretation.optional(),
    corrected: z.record(z.string(), z.string()).optional().meta({
      description: "Words that occur in none of the caller's texts, by what was looked for in their place",
    }),
  })
  .meta({ id: "SearchAnswer" });
export type SearchAnswer = z.infer<typeof SearchAnswer>;

export const SuggestQuery = z.object({
  q: z.string().min(1).max(500).meta({ description: "What has been typed so far", example: "pack" }),
  limit: IntegerParam({ min: 1, max: 20, default: 10 }),
});
export type SuggestQuery = z.infer<typeof SuggestQuery>;

export const SuggestAnswer = z
  .strictObject({
    suggestions: z.array(
      z.strictObject({
        text: z.string().meta({ description: "The whole text as it would be after completion" }),
        kind: z.enum(["title", "tag", "word"]),
      }),
    ),
  })
  .meta({ id: "SuggestAnswer" });
export type SuggestAnswer = z.infer<typeof SuggestAnswer>;
