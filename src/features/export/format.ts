import { createHash } from "node:crypto";
import { z } from "zod";
import { StaleAfterDays, TimeZone } from "../../contract/auth.ts";
import { DocumentExportLine, DocumentVersionExportLine } from "../../contract/document.ts";
import { EXPORT_FORMAT, EXPORT_SECTIONS, EXPORT_VERSION } from "../../contract/export-format.ts";
import { Name, Timestamp } from "../../contract/fields.ts";
import { AttachmentExportLine, FileExportLine } from "../../contract/file.ts";
import { FolderExportLine } from "../../contract/folder.ts";
import { MemoryExportLine } from "../../contract/memory.ts";
import { MemoryEventExportLine } from "../../contract/memory-event.ts";
import { describeProblems } from "../../contract/problems.ts";
import { KeptFindingExportLine } from "../../contract/tidy.ts";

export type SectionName = (typeof EXPORT_SECTIONS)[number];

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const Settings = z.strictObject({
  type: z.literal("settings"),
  name: Name(200).nullable(),
  timezone: TimeZone,
  stale_after_days: StaleAfterDays,
});

const Header = z.strictObject({
  type: z.literal("header"),
  format: z.literal(EXPORT_FORMAT),
  schema_version: z.int(),
  exported_at: Timestamp,
});

const Section = z.strictObject({ count: z.int().min(0), sha256: Sha256 });

const Manifest = z.strictObject({
  type: z.literal("manifest"),
  schema_version: z.int(),
  sections: z.partialRecord(z.enum(EXPORT_SECTIONS), Section),
});

const End = z.strictObject({ type: z.literal("end"), sha256: Sha256 });

export const ExportLine = z.discriminatedUnion("type", [
  Header,
  Settings,
  FolderExportLine,
  DocumentExportLine,
  DocumentVersionExportLine,
  MemoryExportLine,
  MemoryEventExportLine,
  FileExportLine,
  AttachmentExportLine,
  KeptFindingExportLine,
  Manifest,
  End,
]);
export type ExportLine = z.infer<typeof ExportLine>;
export type RecordLine = Extract<ExportLine, { type: SectionName }>;

const isSection = (type: string): type is SectionName =>
  (EXPORT_SECTIONS as readonly string[]).includes(type);

export const isRecordLine = (line: ExportLine): line is RecordLine => isSection(line.type);

/** A line with its type. */
export type TypedLine = { type: string; line: string };

const ENCODER = new TextEncoder();

export const lineBytes = (line: string): Uint8Array => ENCODER.encode(`${line}\n`);

export function exportTally() {
  const whole = createHash("sha256");
  const sections = new Map(EXPORT_SECTIONS.map((name) => [name, { count: 0, hash: createHash("sha256") }]));
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

export function closingLines(written: ReturnType<typeof exportTally>): Uint8Array[] {
  const manifest: z.infer<typeof Manifest> = {
    type: "manifest",
    schema_version: EXPORT_VERSION,
    sections: written.sections(),
  };
  const bytes = lineBytes(JSON.stringify(manifest));
  written.add("manifest", bytes);
  const end: z.infer<typeof End> = { type: "end", sha256: written.whole() };
  return [bytes, lineBytes(JSON.stringify(end))];
}

type Expected = "header" | "records" | "end" | "nothing";

function expectationAfter({ type }: ExportLine): Expected {
  if (type === "manifest") return "end";
  return type === "end" ? "nothing" : "records";
}

const expectationFor = ({ type }: ExportLine): Expected =>
  type === "header" || type === "end" ? type : "records";

function claimProblem(line: ExportLine, checked: ReturnType<typeof exportTally>): string | null {
  if (line.type === "header" && line.schema_version > EXPORT_VERSION) return "has a newer schema version";
  if (line.type === "end" && line.sha256 !== checked.whole())
    return "does not match the checksum of the file";
  if (line.type !== "manifest") return null;
  const counted = checked.sections();
  const isFalse = Object.entries(line.sections).some(([name, { count, sha256 }]) => {
    const found = counted[name as SectionName];
    return found.count !== count || found.sha256 !== sha256;
  });
  return isFalse ? "does not match the sections" : null;
}

/** Validates a file line by line: `add` returns a problem or null, `end` reports an incomplete file. */
export function exportInspection() {
  const checked = exportTally();
  let number = 0;
  let expected: Expected = "header";
  const check = (line: ExportLine, text: string): string | null => {
    if (expectationFor(line) !== expected) return `is out of place: ${line.type} is not expected here`;
    const problem = claimProblem(line, checked);
    expected = expectationAfter(line);
    checked.add(line.type, lineBytes(text));
    return problem;
  };
  return {
    add(text: string): string | null {
      number++;
      const line = readExportLine(text);
      const problem = typeof line === "string" ? line : check(line, text);
      return problem && `line ${number} ${problem}`;
    },
    lines: () => number,
    sha256: () => checked.whole(),
    end: (): string | null => (expected === "nothing" ? null : "it ends too early"),
  };
}

export function readExportLine(text: string): ExportLine | string {
  const read = ExportLine.safeParse(parseJson(text));
  if (read.success) return read.data;
  return `is not valid (${describeProblems(read.error, "line")})`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
