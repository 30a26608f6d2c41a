import { z } from "@hono/zod-openapi";
import { ChangedAt, MAX_TAGS, SourceType, Tag } from "./document.ts";
import { checkDependencies } from "./field-dependencies.ts";
import {
  BooleanParam,
  InstantOrDay,
  IntegerParam,
  PageParams,
  RepeatedParam,
  RequestQuery,
  Timestamp,
  Uuid,
} from "./fields.ts";
import { MemoryStatus, MemoryType, Scope } from "./memory.ts";
import { MemoryPriority, Owed, RepeatFrom, TimeOfDay } from "./memory-fields.ts";

export const SearchQuery = RequestQuery({
  q: z.string().min(1).max(500).meta({ description: "The search query", example: "packing list" }),
  type: z
    .enum(["documents", "memories", "all"])
    .default("documents")
    .meta({ description: "What to search: documents, memory records, or both in one ranking" }),
  folder_id: Uuid.optional().meta({
    description:
      "Only documents directly in this folder. Not allowed with `type=memories`, because records are in no folder",
  }),
  tag: RepeatedParam(Tag, MAX_TAGS)
    .optional()
    .openapi({ description: "Repeat the parameter to require several tags" }),
  source_type: SourceType.optional(),
  updated_after: InstantOrDay.optional().openapi({
    description:
      "Only results whose text last changed (`changed_at`) at this time or later. A day means its start in your time zone",
  }),
  updated_before: InstantOrDay.optional().openapi({
    description:
      "Only results whose text last changed before this time. A day means its start in your time zone",
  }),
  highlight: z
    .enum(["mark"])
    .optional()
    .meta({ description: "`mark` returns the snippet as escaped HTML with `<mark>` around the matches" }),
  explain: BooleanParam("Include the contribution of each word to the score of each result").optional(),
  ...PageParams,
}).superRefine(checkDependencies({ folder_id: { with: "type", values: ["documents", "all"] } }));
export type SearchQuery = z.infer<typeof SearchQuery>;

const Explanation = z
  .strictObject({
    words: z.array(z.string()).meta({ description: "The words of the query that this part refers to" }),
    because: z.enum(["found", "type", "due", "near", "exact", "date"]).meta({
      description:
        "`found`: the text contains the word; `type`: the word names the type of the record; `due`: the words name its due " +
        "date, even if its text does not; `near`: two adjacent words of the query are close together; `exact`: the word " +
        "occurs exactly as typed; `date`: a date in the query occurs in any spelling",
    }),
    score: z.number().meta({ description: "Contribution to the score of the result" }),
  })
  .meta({ id: "SearchExplanation" });
export type Explanation = z.infer<typeof Explanation>;

const resultFields = {
  score: z.number().meta({ description: "Relevance, comparable only within one response" }),
  snippet: z.string().meta({ description: "The best matching passage of the text" }),
  file: z
    .strictObject({
      id: Uuid,
      name: z.string(),
      page: z.int().optional().meta({ description: "Page number, if the file has pages" }),
      part: z.int().optional().meta({ description: "Part of its text, if the file has no pages" }),
    })
    .optional()
    .meta({
      description:
        "The attached file that contains the best match, in its name, its caption or a page. The snippet is from there",
    }),
  matched: z.array(z.string()).optional().meta({ description: "The words that were found, if not all" }),
  explanation: z
    .array(Explanation)
    .optional()
    .meta({ description: "With `explain=true`: the parts of the score, largest first" }),
  matched_as: z
    .record(z.string(), z.string())
    .optional()
    .meta({
      description:
        "Words of the query that were found only in a similar spelling, each with that spelling (the likelier one of two)",
      example: { grocry: "grocery" },
    }),
};

export const DocumentResult = z
  .strictObject({
    document: z.strictObject({
      id: Uuid,
      title: z.string(),
      tags: z.array(z.string()),
      source_type: SourceType,
      updated_at: Timestamp,
      changed_at: ChangedAt,
      folder_id: Uuid.nullable(),
      folder_path: z
        .string()
        .optional()
        .meta({ description: "Path of its folder: the folder names from the top, joined by `/`" }),
    }),
    heading: z
      .string()
      .optional()
      .meta({
        description:
          "Heading of the section that contains the snippet; `[2]` marks the second one of that name. Assistants read it " +
          "with `fetch doc:<id>#<heading>`",
      }),
    part: z.int().optional().meta({
      description:
        "Part of a text of more than 40,000 characters that contains the snippet, for `fetch doc:<id>#<part>`",
    }),
    ...resultFields,
  })
  .meta({ id: "DocumentResult" });
export type DocumentResult = z.infer<typeof DocumentResult>;

export const MemoryResult = z
  .strictObject({
    memory: z.strictObject({
      id: z.int(),
      memory_type: MemoryType,
      topic: z.string(),
      tags: z.array(z.string()),
      status: MemoryStatus,
      project: z.string().nullable(),
      scope: Scope.nullable(),
      due_date: z.iso.date().nullable(),
      due_time: TimeOfDay.optional().meta({ description: "Absent if the record has no due time" }),
      repeat: z.string().optional().meta({
        description: "Repetition rule; absent if the record does not repeat",
        example: "FREQ=WEEKLY;BYDAY=MO",
      }),
      repeat_from: RepeatFrom.optional().meta({
        description:
          "Whether it repeats by the calendar (`due`, also if absent) or from the day on which it was done",
      }),
      priority: MemoryPriority.optional().meta({ description: "Absent if the record has none" }),
      owed: Owed.optional().meta({ description: "Absent if nothing is owed by or to the caller" }),
      happened_on: z.iso.date().optional().meta({ description: "Absent if not set" }),
      deferred_until: z.iso.date().nullable(),
      superseded_by_id: z.int().nullable().meta({ description: "The record that replaced this one" }),
      created_at: Timestamp,
      updated_at: Timestamp,
      changed_at: Timestamp.meta({
        description:
          "When its text, due date or status last changed, or it was confirmed. Changes of project, tags or scope only affect " +
          "`updated_at`",
      }),
    }),
    ...resultFields,
  })
  .meta({ id: "MemoryResult" });
export type MemoryResult = z.infer<typeof MemoryResult>;

/** Memories are only included if requested by `type`. */
export const SearchResult = z.union([DocumentResult, MemoryResult]);
export type SearchResult = z.infer<typeof SearchResult>;

const Interpretation = z
  .strictObject({
    words: z.array(z.string()).meta({
      description: "The words searched for, in normalized form; `pre*`, `title:word` and phrases unchanged",
      example: ["packing", "list*"],
    }),
    alternatives: z
      .array(z.array(z.string()))
      .optional()
      .meta({ description: "Groups of `words` of which one is enough (`a OR b`)" }),
    excluded: z.array(z.string()).meta({ description: "Words that no result contains (`-word`)" }),
    filters: z
      .array(z.strictObject({ name: z.string(), value: z.string() }))
      .meta({ description: "Filters that every result matches (`tag:x`)" }),
  })
  .meta({ description: "How the query was interpreted" });
export type Interpretation = z.infer<typeof Interpretation>;

export const SearchAnswer = z
  .strictObject({
    results: z.array(SearchResult),
    total: z.int().meta({ description: "The exact number of matches" }),
    query: z.string().meta({ description: "The query as sent" }),
    interpreted: Interpretation.optional(),
    corrected: z
      .record(z.string(), z.string())
      .optional()
      .meta({
        description:
          "Words that occur in none of the caller's texts, each with the word searched for instead. If two are about as " +
          "likely, both are given, the likelier first: `from OR form`. Results that only contain a correction of a word of " +
          "fewer than seven letters come last",
        example: { grocry: "grocery", bxard: "beard OR board" },
      }),
    relaxed: z.array(z.string()).optional().meta({
      description:
        "Phrases that were not required because no text contains them together with the rest of the query",
    }),
    snippets_omitted: z.int().optional().meta({
      description:
        "Number of results with an empty snippet, because a search reads at most 8 MiB of content. Use a smaller `limit`",
    }),
    notes: z.array(z.string()).optional().meta({
      description: "Parts of the query that could not be used as written, and what to write instead",
    }),
  })
  .meta({ id: "SearchAnswer" });
export type SearchAnswer = z.infer<typeof SearchAnswer>;

export const SuggestQuery = RequestQuery({
  q: z.string().min(1).max(500).meta({ description: "The text typed so far", example: "pack" }),
  limit: IntegerParam({ min: 1, max: 20, default: 10 }),
});
export type SuggestQuery = z.infer<typeof SuggestQuery>;

export const SuggestAnswer = z
  .strictObject({
    suggestions: z.array(
      z.strictObject({
        text: z.string().meta({ description: "The whole text after completion" }),
        kind: z.enum(["title", "tag", "word"]),
      }),
    ),
  })
  .meta({ id: "SuggestAnswer" });
export type SuggestAnswer = z.infer<typeof SuggestAnswer>;

export const documentResults = ({ results }: Pick<SearchAnswer, "results">) =>
  results.flatMap((result) => ("document" in result ? [result.document] : []));

export const ReindexRequest = z
  .strictObject({
    all: z
      .boolean()
      .optional()
      .default(false)
      .meta({ description: "Rebuild every entry, not only those written by an earlier release" }),
    home: z.int().min(1).max(9999).optional().meta({
      description: "Number of the database, if there are several. Default: the caller's",
    }),
  })
  .meta({ id: "ReindexRequest", example: { all: true } });

export const ReindexAnswer = z
  .strictObject({
    indexed: z.int().meta({ description: "Number of entries written by this request" }),
    remaining: z.int().meta({
      description: "Number of entries left, counted up to 10,000. Repeat the request until it is 0",
    }),
  })
  .meta({ id: "ReindexAnswer" });
export type ReindexAnswer = z.infer<typeof ReindexAnswer>;
