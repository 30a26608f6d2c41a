import { z } from "zod";
import type { Thing } from "../../src/contract/tidy/mark.ts";
import { inOrder, NOTHING, type Source } from "./source.ts";

// What Mem0 has. The forms are those of mem0ai/mem0 at 8d5b7865 (mem0ai 2.0.18, August 2026):
// - `get_all` of the library: `{ results: [...] }` (mem0/memory/main.py), of the platform: a page with `count`, `next`,
//   `previous` and `results`, or in its older versions a list (docs/openapi.json, `/v1`, `/v2` and `/v3/memories/`);
// - the Markdown of the plugin's skill `export` (integrations/mem0-plugin/scripts/parse_export_file.py);
// - the backup of OpenMemory, which left the repository in July 2026 (openmemory/api/app/routers/backup.py before ea2ee075):
//   a zip of memories.json and memories.jsonl.gz, whose memories have `content` and a `state`.
// What `create_memory_export` makes has a schema of one's own, and no memories.

const Name = z.string().nullish();
const Memory = z
  .object({
    ...{
      id: z.union([z.string(), z.number()]),
      memory: z.string().optional(),
      content: z.string().optional(),
    },
    ...{ user_id: Name, agent_id: Name, app_id: Name, app: Name, created_at: Name, updated_at: Name },
    ...{ state: Name, replaced_by: Name },
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

/** All memories of a list, of an answer, or of the pages of one. */
function listed(value: unknown): unknown[] {
  const pages = Array.isArray(value) ? value : [value];
  return pages.flatMap((page) => List.safeParse(page).data ?? [page]);
}

/** What was archived, deleted or replaced no longer holds. */
const isPresent = ({ state, replaced_by }: Memory) =>
  (state === null || state === undefined || state === "active" || state === "paused") && !replaced_by;

function thingOf(
  { id, text, user_id, agent_id, app_id, app, created_at, updated_at }: Memory,
  place: number,
): Thing {
  const project = user_id ?? agent_id ?? app_id ?? app ?? null;
  const [at, changed] = [created_at ?? inOrder(place), updated_at ?? created_at ?? null];
  return { ...NOTHING, type: "memory", id: String(id), title: "", text, at, changed, project };
}

const sourceOf = (things: Thing[], unread: number): Source => ({
  ...{ name: "Mem0", things, unread },
  unmeasured: [
    "records of the same topic that contradict each other, and topics of one word: memories have no topic",
    "preferences and commitments: memories have no type",
    "documents: there are none",
  ],
});

/** What `get_all` answers, or the backup of OpenMemory: memories of one or several users. */
export function mem0(value: unknown): Source | undefined {
  const read = listed(value).map((one) => Memory.safeParse(one).data);
  const memories = read.filter((one) => one !== undefined);
  if (memories.length === 0) return undefined;
  return sourceOf(memories.filter(isPresent).map(thingOf), read.length - memories.length);
}

const FENCE = /^---[ \t]*\r?$/m;

const valueIn = (head: string, name: string) =>
  new RegExp(`^${name}[ \\t]*:[ \\t]*(.+)$`, "m").exec(head)?.[1]?.trim();

/** Blocks of a head between two lines of `---` and a text. */
export function mem0Markdown(text: string): Source | undefined {
  const [, ...parts] = text.split(FENCE);
  const things = parts.flatMap((head, place): Thing[] => {
    const [id, said] = [valueIn(head, "id"), (parts[place + 1] ?? "").trim()];
    if (place % 2 === 1 || id === undefined || said === "") return [];
    return [thingOf({ id, text: said, created_at: valueIn(head, "created_at") }, place)];
  });
  return things.length === 0 ? undefined : sourceOf(things, 0);
}
