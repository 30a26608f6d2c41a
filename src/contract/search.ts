import { z } from "@hono/zod-openapi";
import { ChangedAt, MAX_TAGS, SourceType, Tag } from "./document.ts";
import { Flag, IntegerParam, Page, Repeated, RequestQuery, Since, Timestamp, Uuid } from "./fields.ts";
import { goTogether } from "./goes-with.ts";
import { MemoryStatus, MemoryType, Scope } from "./memory.ts";
import { Owed, Priority, TimeOfDay } from "./memory-fields.ts";

export const SearchQuery = RequestQuery({
  q: z.string().min(1).max(500).meta({ description: "What to look for", example: "packing list" }),
  type: z
    .enum(["documents", "memories", "all"])
    .default("documents")
    .meta({ description: "What to look for: documents, memory records, or both in one ranking" }),
  folder_id: Uuid.optional().meta({
    description:
      "Only documents directly in this folder; memory records are in none, so not with `type=memories`",
  }),
  tag: Repeated(Tag, MAX_TAGS)
    .optional()
    .openapi({ description: "Repeat the parameter to require several tags" }),
  source_type: SourceType.optional(),
  updated_after: Since.optional().openapi({
    description:
      "What it says was last changed at this time or later (`changed_at`); a day means its beginning in your time zone",
  }),
  updated_before: Since.optional().openapi({
    description:
      "What it says was last changed before this time; a day means its beginning in your time zone",
  }),
  highlight: z
    .enum(["mark"])
    .optional()
    .meta({ description: "`mark` returns the snippet as escaped HTML with `<mark>` around the matches" }),
  explain: Flag("Adds to each result what each word adds to its score").optional(),
  ...Page,
}).superRefine(goTogether({ folder_id: { with: "type", values: ["documents", "all"] } }));
export type SearchQuery = z.infer<typeof SearchQuery>;

const Explanation = z
  .strictObject({
    words: z.array(z.string()).meta({ description: "The words of the query that this part is about" }),
    because: z.enum(["found", "type", "due", "near", "exact", "date"]).meta({
      description:
        "`found`: the text contains the word; `type`: the record is of the type that the word names, and `due`: it is due " +
        "then, whether or not its text says so; `near`: two adjacent words of the query are close together; `exact`: the " +
        "word occurs exactly as typed; `date`: a date of the query occurs in any spelling",
    }),
    score: z.number().meta({ description: "What this adds to the result's score" }),
  })
  .meta({ id: "SearchExplanation" });
export type Explanation = z.infer<typeof Explanation>;

const hit = {
  score: z.number().meta({ description: "Relevance; comparable only within one answer" }),
  snippet: z.string().meta({ description: "The best matching passage of the text" }),
  file: z
    .strictObject({
      id: Uuid,
      name: z.string(),
      page: z.int().optional().meta({ description: "Of a file with pages: which one" }),
      part: z.int().optional().meta({ description: "Of a file without pages: which part of its text" }),
    })
    .optional()
    .meta({
      description:
        "The attached file that most of it was found in: its name, caption or a page, which the snippet is from",
    }),
  matched: z.array(z.string()).optional().meta({ description: "Which words were found, if not all of them" }),
  explanation: z
    .array(Explanation)
    .optional()
    .meta({ description: "With `explain=true`: the parts of the score, the largest first" }),
  matched_as: z
    .record(z.string(), z.string())
    .optional()
    .meta({
      description:
        "Words of the query for which only a similar one was found here, each with that word (the likelier one if both were)",
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
        .meta({ description: "The names of its folders from the top, joined by `/`" }),
    }),
    heading: z
      .string()
      .optional()
      .meta({
        description:
          "The heading of the section that the snippet is from; `[2]` is the second of that name. An assistant reads it by " +
          "`fetch doc:<id>#<heading>`",
      }),
    part: z.int().optional().meta({
      description:
        "Of a text of more than 40,000 characters: which part the snippet is from, `fetch doc:<id>#<part>`",
    }),
    ...hit,
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
      due_time: TimeOfDay.optional().meta({ description: "Only of a record that is due at an hour" }),
      repeat: z
        .string()
        .optional()
        .meta({ description: "Only of a record that repeats: its rule", example: "FREQ=WEEKLY;BYDAY=MO" }),
      priority: Priority.optional().meta({ description: "Only of a record that has one" }),
      owed: Owed.optional().meta({ description: "Only of what is owed by the caller or to them" }),
      happened_on: z.iso.date().optional().meta({ description: "Only of what happened on a day of its own" }),
      deferred_until: z.iso.date().nullable(),
      superseded_by_id: z.int().nullable().meta({ description: "The record that replaced this one" }),
      created_at: Timestamp,
      updated_at: Timestamp,
      changed_at: Timestamp.meta({
        description:
          "When what it says, its due date or its state was last changed, or it was confirmed; updated_at moves with its " +
          "project, tags and scope as well",
      }),
    }),
    ...hit,
  })
  .meta({ id: "MemoryResult" });
export type MemoryResult = z.infer<typeof MemoryResult>;

/** Memory records are included only if `type` asks for them. */
export const SearchResult = z.union([DocumentResult, MemoryResult]);
export type SearchResult = z.infer<typeof SearchResult>;

const Interpretation = z
  .strictObject({
    words: z.array(z.string()).meta({
      description:
        "The words that were searched for, in normalized form; `pre*`, `title:word` and phrases as written",
      example: ["packing", "list*"],
    }),
    alternatives: z
      .array(z.array(z.string()))
      .optional()
      .meta({ description: "Groups of `words` of which any one is enough (`a OR b`)" }),
    excluded: z.array(z.string()).meta({ description: "Words that no result contains (`-word`)" }),
    filters: z
      .array(z.strictObject({ name: z.string(), value: z.string() }))
      .meta({ description: "Filters that every result matches (`tag:x`)" }),
  })
  .meta({ description: "How the query was read" });
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
          "Words that occur in none of the caller's texts, each with the word that was searched for instead, or, if two are as " +
          "likely, with both as in a query, the likelier first: `from OR form`. Results that have only a correction of a word of " +
          "less than seven letters come last",
        example: { grocry: "grocery", bxard: "beard OR board" },
      }),
    relaxed: z.array(z.string()).optional().meta({
      description:
        "Phrases that were not required, because no text has them together with the rest of the query",
    }),
    snippets_omitted: z.int().optional().meta({
      description:
        "How many results have an empty snippet because a search reads at most 8 MiB of content; use a smaller `limit`",
    }),
    notes: z
      .array(z.string())
      .optional()
      .meta({ description: "Parts of the query that could not be used as written, and what to do" }),
  })
  .meta({ id: "SearchAnswer" });
export type SearchAnswer = z.infer<typeof SearchAnswer>;

export const SuggestQuery = RequestQuery({
  q: z.string().min(1).max(500).meta({ description: "What has been typed so far", example: "pack" }),
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

export const documentsOf = ({ results }: Pick<SearchAnswer, "results">) =>
  results.flatMap((result) => ("document" in result ? [result.document] : []));

export const ReindexRequest = z
  .strictObject({
    all: z
      .boolean()
      .optional()
      .default(false)
      .meta({ description: "Start over with every entry, not only those that an older version wrote" }),
    home: z.int().min(1).max(9999).optional().meta({
      description: "Of a service with several databases, which one; by default the caller's",
    }),
  })
  .meta({ id: "ReindexRequest", example: { all: true } });

export const ReindexAnswer = z
  .strictObject({
    indexed: z.int().meta({ description: "Entries that this step wrote" }),
    remaining: z.int().meta({
      description: "Entries that are left, counted up to 10,000; repeat the request until there are none",
    }),
  })
  .meta({ id: "ReindexAnswer" });
export type ReindexAnswer = z.infer<typeof ReindexAnswer>;
