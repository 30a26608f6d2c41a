import { readDate } from "./dates.ts";
import {
  decodeUtf8,
  errorMessage,
  type FoundEntry,
  fitTitle,
  hexDigest,
  type ImportTarget,
  textContent,
} from "./item.ts";
import { byteLines } from "./lines.ts";
import { z } from "./zod.ts";

const Instant = z.string().transform((text, issue) => {
  const date = readDate(text);
  if (!date) issue.addIssue({ code: "custom", message: "must be an ISO 8601 date or date-time" });
  return date;
});

const Line = z.looseObject({
  id: z.union([z.string(), z.number()]).nullish(),
  title: z.string().nullish(),
  text: z.string().nullish(),
  content: z
    .union([z.string(), z.record(z.string(), z.unknown())], "must be a string or an object")
    .nullish(),
  tags: z.array(z.string()).nullish(),
  created_at: Instant.nullish(),
  updated_at: Instant.nullish(),
});
type Line = z.infer<typeof Line>;

const MAX_WORDS = 80;

export function firstWords(text: string): string {
  const line = text.trim().replace(/\s+/g, " ");
  if (line.length <= MAX_WORDS) return line;
  const cut = line.slice(0, MAX_WORDS + 1);
  const words = cut.slice(0, cut.lastIndexOf(" "));
  return `${words || line.slice(0, MAX_WORDS).toWellFormed()}…`;
}

function lineTitle(line: Line, text: string): string {
  const title = line.title?.trim() || firstWords(text) || String(line.id ?? "");
  if (title === "") throw new Error("has no title, text or id");
  return title;
}

function parseLine(text: string): Line {
  const parsed = Line.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error([issue?.path.join("."), issue?.message].filter(Boolean).join(": "));
}

const FIELDS = Object.keys(Line.shape);

function otherFields(line: Line): Record<string, unknown> {
  const { text, content } = line;
  const others = Object.entries(line).filter(([name]) => !FIELDS.includes(name));
  const second = (text ?? undefined) === undefined ? {} : typeof content === "string" ? { content } : content;
  return { ...second, ...Object.fromEntries(others) };
}

function readItemLine(
  json: string,
  source: { file: string; where: string },
  target: ImportTarget,
): FoundEntry {
  const line = parseLine(json);
  const given = line.text ?? line.content ?? "";
  const content = { ...otherFields(line), ...(typeof given === "string" ? textContent(given) : given) };
  const text = typeof content.text === "string" ? content.text : "";
  const id = line.id ?? undefined;
  const path = id === undefined ? `#${hexDigest(json)}` : `#id=${id}`;
  return {
    where: source.where,
    source: source.file,
    path,
    name: path,
    ...fitTitle(lineTitle(line, text)),
    content: id === undefined ? content : { ...content, id },
    tags: [...target.tags, ...(line.tags ?? [])],
    folders: target.folders,
    created_at: line.created_at ?? undefined,
    updated_at: line.updated_at ?? undefined,
  };
}

/** A JSON Lines file. `name` precedes line numbers in messages if there are several files. */
export type JsonLinesFile = { source: string; name?: string; chunks: AsyncIterable<Uint8Array> };

/**
 * Reads one JSON object per line: `title`, `text` or `content`, optionally `id`, `tags`, `created_at`, `updated_at` and
 * other fields.
 */
export async function* readJsonLines(
  { source, name, chunks }: JsonLinesFile,
  target: ImportTarget,
): AsyncGenerator<FoundEntry> {
  let number = 0;
  for await (const bytes of byteLines(chunks)) {
    const line = `line ${++number}`;
    const where = name === undefined ? line : `${name}, ${line}`;
    try {
      const json = decodeUtf8(bytes);
      if (json.trim() !== "") yield readItemLine(json, { file: source, where }, target);
    } catch (problem) {
      yield {
        where,
        why: problem instanceof SyntaxError ? `is not JSON: ${problem.message}` : errorMessage(problem),
      };
    }
  }
}
