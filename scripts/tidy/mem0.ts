import { z } from "zod";
import type { TidySubject } from "../../src/shared/tidy/fingerprint.ts";
import { EMPTY_THING, type MemoryFile, sequenceTime } from "./memory-file.ts";

// Reads the formats of Mem0, as of mem0ai/mem0 at 8d5b7865 (mem0ai 2.0.18, August 2026):
// - `get_all` of the library: `{ results: [...] }` (mem0/memory/main.py), of the platform: a page with `count`, `next`,
//   `previous` and `results`, or in its older versions a list (docs/openapi.json, `/v1`, `/v2` and `/v3/memories/`);
// - the Markdown of the plugin's skill `export` (integrations/mem0-plugin/scripts/parse_export_file.py);
// - the backup of OpenMemory, which left the repository in July 2026 (openmemory/api/app/routers/backup.py before ea2ee075):
//   a zip of memories.json and memories.jsonl.gz, whose memories have `content` and a `state`.
// Not read: `create_memory_export`, which has a schema of the user's own and no memories.

const OptionalText = z.string().nullish();
const Memory = z
  .object({
    id: z.union([z.string(), z.number()]),
    memory: z.string().optional(),
    content: z.string().optional(),
    user_id: OptionalText,
    agent_id: OptionalText,
    app_id: OptionalText,
    app: OptionalText,
    created_at: OptionalText,
    updated_at: OptionalText,
    state: OptionalText,
    replaced_by: OptionalText,
  })
  .transform(({ memory, content, ...rest }, { addIssue }) => {
    const text = memory ?? content;
    if (text === undefined) addIssue("has no text");
    return { ...rest, text: text ?? "" };
  });
type Memory = z.infer<typeof Memory>;

const List = z.union([
  z.object({ results: z.array(z.unknown()) }).transform(({ results }) => results),
  z.object({ memories: z.array(z.unknown()) }).transform(({ memories }) => memories),
]);

function listMemories(value: unknown): unknown[] {
  const pages = Array.isArray(value) ? value : [value];
  return pages.flatMap((page) => List.safeParse(page).data ?? [page]);
}

/** Whether a memory was not archived, deleted or replaced. */
const isCurrent = ({ state, replaced_by }: Memory) =>
  (state === null || state === undefined || state === "active" || state === "paused") && !replaced_by;

function toThing(
  { id, text, user_id, agent_id, app_id, app, created_at, updated_at }: Memory,
  position: number,
): TidySubject {
  const project = user_id ?? agent_id ?? app_id ?? app ?? null;
  const [at, changed] = [created_at ?? sequenceTime(position), updated_at ?? created_at ?? null];
  return { ...EMPTY_THING, type: "memory", id: String(id), title: "", text, at, changed, project };
}

const memoryFile = (things: TidySubject[], unread: number): MemoryFile => ({
  name: "Mem0",
  things,
  unread,
  unmeasured: [
    "contradictions within a topic, and one-word topics: memories have no topic",
    "preferences and commitments: memories have no type",
    "documents: there are none",
  ],
});

/** Reads an answer of `get_all`, or the backup of OpenMemory: memories of one or several users. */
export function readMem0(value: unknown): MemoryFile | undefined {
  const read = listMemories(value).map((one) => Memory.safeParse(one).data);
  const memories = read.filter((one) => one !== undefined);
  if (memories.length === 0) return undefined;
  return memoryFile(memories.filter(isCurrent).map(toThing), read.length - memories.length);
}

const FENCE = /^---[ \t]*\r?$/m;

const headerValue = (header: string, name: string) =>
  new RegExp(`^${name}[ \\t]*:[ \\t]*(.+)$`, "m").exec(header)?.[1]?.trim();

/** Reads blocks of a header between two lines of `---`, followed by a text. */
export function readMem0Markdown(text: string): MemoryFile | undefined {
  const [, ...parts] = text.split(FENCE);
  const things = parts.flatMap((header, position): TidySubject[] => {
    const [id, said] = [headerValue(header, "id"), (parts[position + 1] ?? "").trim()];
    if (position % 2 === 1 || id === undefined || said === "") return [];
    return [toThing({ id, text: said, created_at: headerValue(header, "created_at") }, position)];
  });
  return things.length === 0 ? undefined : memoryFile(things, 0);
}
