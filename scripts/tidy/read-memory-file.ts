import { z } from "zod";
import { searchableText } from "../../src/shared/markdown/content-text.ts";
import type { TidySubject } from "../../src/shared/tidy/fingerprint.ts";
import { readMem0, readMem0Markdown } from "./mem0.ts";
import { EMPTY_THING, type MemoryFile, sequenceTime } from "./memory-file.ts";

const Entity = z.object({
  type: z.literal("entity"),
  name: z.string(),
  observations: z.array(z.string()).default([]),
});
const Relation = z.object({ type: z.literal("relation") });

/** The answer of the tool `read_graph`: the same content without the types. */
const Graph = z.object({ entities: z.array(z.record(z.string(), z.unknown())) });

function entityLines(lines: readonly unknown[], whole: unknown): readonly unknown[] {
  const { data } = Graph.safeParse(whole);
  return data ? data.entities.map((entity) => ({ ...entity, type: "entity" })) : lines;
}

/**
 * Reads `memory.jsonl` of @modelcontextprotocol/server-memory 0.6.3 (`saveGraph` in src/memory/index.ts of
 * modelcontextprotocol/servers at 76d64c82): an entity or a relation on each line.
 */
function serverMemory(all: readonly unknown[], whole: unknown): MemoryFile | undefined {
  const Line = z.union([Entity, Relation]);
  const lines = entityLines(all, whole);
  const read = lines.map((line) => Line.safeParse(line));
  if (!read.some(({ data }) => data?.type === "entity")) return undefined;
  const things: TidySubject[] = [];
  for (const [number, { data }] of read.entries()) {
    if (data?.type !== "entity") continue;
    for (const [position, text] of data.observations.entries()) {
      const id = `line ${number + 1}, observation ${position + 1}`;
      things.push({
        ...EMPTY_THING,
        type: "memory",
        id,
        title: data.name,
        text,
        at: sequenceTime(things.length),
      });
    }
  }
  return {
    name: "server-memory",
    things,
    unread: read.filter(({ success }) => !success).length,
    unmeasured: [
      "which of two observations is newer: there are no dates, so their order in the file is used",
      "preferences, commitments that are already done, and one-word topics: observations have no type and no topic",
      "documents: there are none",
    ],
  };
}

const Header = z.object({ type: z.literal("header"), format: z.literal("commonplace-export") });
const Id = z.number().nullish();
const Memory = z.object({
  type: z.literal("memory"),
  id: z.number(),
  topic: z.string(),
  content: z.string(),
  memory_type: z.string(),
  status: z.string(),
  project: z.string().nullish(),
  due_date: z.string().nullish(),
  supersedes_id: Id,
  series_id: Id,
  document_id: z.string().nullish(),
  created_at: z.string(),
  updated_at: z.string(),
  trashed_at: z.string().nullish(),
});
const Document = z.object({
  type: z.literal("document"),
  id: z.string(),
  title: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  // Missing in exports of earlier releases.
  changed_at: z.string().nullish(),
  content: z.record(z.string(), z.unknown()).nullable(),
  trashed_at: z.string().nullish(),
});

const optionalId = (id: number | null | undefined) => (id == null ? null : String(id));

function thingsInLine(line: unknown): TidySubject[] {
  const { data } = z.union([Memory, Document]).safeParse(line);
  if (!data || data.trashed_at) return [];
  const { created_at: at, updated_at: changed } = data;
  if (data.type === "document")
    return [
      {
        ...EMPTY_THING,
        type: "document",
        id: data.id,
        title: data.title,
        text: searchableText(data.content),
        at,
        changed: data.changed_at ?? changed,
      },
    ];
  if (!["active", "deferred"].includes(data.status)) return [];
  const { id, topic, content, memory_type, project = null, due_date = null, document_id = null } = data;
  const links = {
    supersedes: optionalId(data.supersedes_id),
    series: optionalId(data.series_id),
    document_id,
    is_linked: null,
  };
  return [
    {
      type: "memory",
      id: String(id),
      title: topic,
      text: content,
      at,
      changed,
      memory_type,
      project,
      due_date,
      ...links,
    },
  ];
}

function ownExport(lines: readonly unknown[]): MemoryFile | undefined {
  if (!Header.safeParse(lines[0]).success) return undefined;
  return {
    name: "an export of Commonplace",
    things: lines.flatMap(thingsInLine),
    unread: lines.filter((line) => line === undefined).length,
    unmeasured: [
      "findings that you dismissed in the app: they are listed here again",
      "secrets in earlier versions, in closed records and in the trash: the app finds them",
    ],
  };
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Reads a file of any supported kind. Throws for others. */
export function readMemoryFile(text: string): MemoryFile {
  const lines = text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map(parseJson);
  const whole = parseJson(text);
  const source =
    ownExport(lines) ?? serverMemory(lines, whole) ?? readMem0(whole ?? lines) ?? readMem0Markdown(text);
  if (source) return source;
  throw new Error(
    "Unknown format. Use server-memory's memory.jsonl, an export of Mem0 or an export of Commonplace. Supported formats of " +
      "Mem0: answers of get_all, OpenMemory's backup and the plugin's Markdown. Exports with your own schema contain no memories",
  );
}
