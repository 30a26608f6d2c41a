import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { z } from "zod";
import { StaleAfterDays, TimeZone } from "../auth/schema.ts";
import { JsonObject, Name, Text, Timestamp, Uuid } from "../core/fields.ts";
import { problemsOf } from "../core/problems.ts";
import { DocumentCreateRequest, SourceType, Tags } from "../documents/schema.ts";
import { FolderCreateRequest } from "../folders/schema.ts";
import {
  Day,
  EventName,
  exportedDetails,
  MemoryCreateRequest,
  MemoryStatus,
  MemoryType,
} from "../memories/schema.ts";

// The file of an export: one JSON object a line. `header`, the records of each section, `manifest` with the number
// of each section's lines and the SHA-256 of their bytes, and `end` with the SHA-256 of everything before it.

export const SCHEMA_VERSION = 1;
export const FORMAT = "commonplace-export";

/** The sections, by the type of their lines. The versions of a document stand after it, and so do the events of a memory. */
export const SECTIONS = [
  "settings",
  "folder",
  "document",
  "document_version",
  "memory",
  "memory_event",
] as const;
export type SectionName = (typeof SECTIONS)[number];

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const Client = Name(200).nullable();

/** Higher versions are no history: they become this one, from which a resource can be changed for ever. */
const HIGHEST_VERSION = 2 ** 31 - 1;
const Version = z
  .int()
  .min(1)
  .transform((version) => Math.min(version, HIGHEST_VERSION));

/** A row of D1 holds 2 MB, and numbers such as 1e20 are longer as they are stored. */
const MAX_CONTENT_BYTES = 1_900_000;
const Content = JsonObject.refine(
  (content) => Buffer.byteLength(JSON.stringify(content)) <= MAX_CONTENT_BYTES,
  `must be at most ${MAX_CONTENT_BYTES} bytes`,
);

/** An instant as the service writes it, however many digits its seconds came with: lists are in the order of the texts. */
const Instant = Timestamp.transform((value) => new Date(value).toISOString());

const Settings = z.strictObject({
  type: z.literal("settings"),
  name: Name(200).nullable(),
  timezone: TimeZone,
  stale_after_days: StaleAfterDays,
});

const Folder = z.strictObject({
  type: z.literal("folder"),
  id: Uuid,
  name: FolderCreateRequest.shape.name,
  parent_id: Uuid.nullable(),
  created_at: Instant,
  updated_at: Instant,
});

const state = {
  version: Version,
  title: DocumentCreateRequest.shape.title,
  tags: Tags,
  folder_id: Uuid.nullable(),
  created_at: Instant,
  content: Content.nullable(),
};

const Document = z.strictObject({
  type: z.literal("document"),
  id: Uuid,
  ...state,
  source_type: SourceType,
  updated_at: Instant,
  writer_source_type: SourceType.nullable(),
  writer_client_name: Client,
  trashed_at: Instant.nullable(),
});

const DocumentVersion = z.strictObject({
  type: z.literal("document_version"),
  document_id: Uuid,
  ...state,
  source_type: SourceType,
  client_name: Client,
});

const Id = z.int().min(1).max(Number.MAX_SAFE_INTEGER);

const MemoryRecord = z
  .strictObject({
    type: z.literal("memory"),
    id: Id,
    memory_type: MemoryType,
    topic: MemoryCreateRequest.shape.topic,
    content: MemoryCreateRequest.shape.content,
    ...exportedDetails,
    status: MemoryStatus,
    tags: Tags,
    deferred_until: Day.nullable(),
    supersedes_id: Id.nullable(),
    superseded_by_id: Id.nullable(),
    resolved_at: Instant.nullable(),
    resolution_note: Text(1, 2000).nullable(),
    last_confirmed_at: Instant.nullable(),
    source_type: SourceType,
    client_name: Client,
    version: Version,
    created_at: Instant,
    updated_at: Instant,
    closed_at: Instant.nullable(),
    touched_at: Instant,
  })
  .refine(({ status, closed_at }) => (status === "active") === (closed_at === null), "must fit the status")
  .refine(
    ({ status, resolved_at }) => (status === "resolved") === (resolved_at !== null),
    "must fit the status",
  );

const MemoryEventRecord = z.strictObject({
  type: z.literal("memory_event"),
  memory_id: Id,
  event: EventName,
  from_status: MemoryStatus.nullable(),
  to_status: MemoryStatus,
  note: Text(1, 2000).nullable(),
  source_type: SourceType.nullable(),
  client_name: Client,
  at: Instant,
});

const Header = z.strictObject({
  type: z.literal("header"),
  format: z.literal(FORMAT),
  schema_version: z.int(),
  exported_at: Timestamp,
});

const Section = z.strictObject({ count: z.int().min(0), sha256: Sha256 });

const Manifest = z.strictObject({
  type: z.literal("manifest"),
  schema_version: z.int(),
  sections: z.record(z.enum(SECTIONS), Section),
});

const End = z.strictObject({ type: z.literal("end"), sha256: Sha256 });

export const Line = z.discriminatedUnion("type", [
  Header,
  Settings,
  Folder,
  Document,
  DocumentVersion,
  MemoryRecord,
  MemoryEventRecord,
  Manifest,
  End,
]);
export type Line = z.infer<typeof Line>;
export type RecordLine = Extract<Line, { type: SectionName }>;

const isSection = (type: string): type is SectionName => (SECTIONS as readonly string[]).includes(type);

export const isRecord = (line: Line): line is RecordLine => isSection(line.type);

const ENCODER = new TextEncoder();

/** A line as it stands in the file. */
export const bytesOf = (line: string): Uint8Array => ENCODER.encode(`${line}\n`);

/** Counts and hashes lines as they pass, each with its line's end. */
export function tally() {
  const whole = createHash("sha256");
  const sections = new Map(SECTIONS.map((name) => [name, { count: 0, hash: createHash("sha256") }]));
  return {
    add(type: string, bytes: Uint8Array): void {
      whole.update(bytes);
      const section = isSection(type) ? sections.get(type) : undefined;
      if (!section) return;
      section.count++;
      section.hash.update(bytes);
    },
    sections: () =>
      Object.fromEntries(
        [...sections].map(([name, { count, hash }]) => [name, { count, sha256: hash.copy().digest("hex") }]),
      ) as Record<SectionName, z.infer<typeof Section>>,
    whole: () => whole.copy().digest("hex"),
  };
}

/** The lines that close a file. */
export function closingLines(passed: ReturnType<typeof tally>): Uint8Array[] {
  const manifest: z.infer<typeof Manifest> = {
    type: "manifest",
    schema_version: SCHEMA_VERSION,
    sections: passed.sections(),
  };
  const bytes = bytesOf(JSON.stringify(manifest));
  passed.add("manifest", bytes);
  const end: z.infer<typeof End> = { type: "end", sha256: passed.whole() };
  return [bytes, bytesOf(JSON.stringify(end))];
}

type Expected = "header" | "records" | "end" | "nothing";

/** What may come after a line. */
const NEXT: Record<Line["type"], Expected> = {
  header: "records",
  settings: "records",
  folder: "records",
  document: "records",
  document_version: "records",
  memory: "records",
  memory_event: "records",
  manifest: "end",
  end: "nothing",
};

/** Where a line belongs. */
const placeOf = ({ type }: Line): Expected => (type === "header" || type === "end" ? type : "records");

/** What a closing or opening line says that is not so, or null. */
function falseClaim(line: Line, passed: ReturnType<typeof tally>): string | null {
  if (line.type === "header" && line.schema_version > SCHEMA_VERSION) return "is of a later schema version";
  if (line.type === "end" && line.sha256 !== passed.whole()) return "is not the checksum of the file";
  if (line.type !== "manifest") return null;
  const counted = passed.sections();
  const isFalse = ([name, { count, sha256 }]: [string, z.infer<typeof Section>]) =>
    counted[name as SectionName].count !== count || counted[name as SectionName].sha256 !== sha256;
  return Object.entries(line.sections).some(isFalse) ? "does not fit the sections" : null;
}

/**
 * Reads a file line by line and finds what is wrong with it. `add` answers a problem or null; after the last line
 * `end` says whether the file was whole, and
 * `sha256` is its checksum.
 */
export function inspection() {
  const passed = tally();
  let number = 0;
  let expected: Expected = "header";
  const check = (line: Line, text: string): string | null => {
    if (placeOf(line) !== expected) return `is not where a line of type ${line.type} belongs`;
    const problem = falseClaim(line, passed);
    expected = NEXT[line.type];
    passed.add(line.type, bytesOf(text));
    return problem;
  };
  return {
    add(text: string): string | null {
      number++;
      const line = readLine(text);
      const problem = typeof line === "string" ? line : check(line, text);
      return problem && `line ${number} ${problem}`;
    },
    sha256: () => passed.whole(),
    end: (): string | null => (expected === "nothing" ? null : "it ends too early"),
  };
}

/** Reads one line, or says what is wrong with it. */
export function readLine(text: string): Line | string {
  const read = Line.safeParse(jsonOf(text));
  if (read.success) return read.data;
  return `is not valid (${problemsOf(read.error, "line")})`;
}

/** The value of a JSON text, or undefined, which no line is. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
