import { MAX_UPLOAD_BYTES } from "../file-limits.ts";
import { type Client, Refused } from "./client.ts";
import type { Bytes, Entries } from "./entries.ts";
import { decoded, type Find, finder, IS_ELSEWHERE, IS_FILE, withoutPlace } from "./finder.ts";
import { type FileIds, type Found, type Item, type ItemFiles, messageOf, type Refusal } from "./item.ts";
import { isText } from "./names.ts";
import { basename } from "./paths.ts";
import { referencesIn, withReferences } from "./references.ts";
import { bringFile, type FilesHere, fewAtOnce, readFilesHere } from "./upload.ts";

// The files of a folder or zip that its notes refer to.

const JOPLIN_ADDRESS = /^:\/[0-9a-f]{32}/;

/** The folder where our own export keeps files, which may be text files. */
const OWN_FILES_FOLDER = /(?:^|\/)Files(?: \(\d+\))?\/[^/]+$/;

const mayHaveFiles = (one: Found): one is Item => "content" in one && one.content.format === "markdown";

/** The name of a file in messages. The address of a Joplin resource does not contain its name. */
const displayName = (entries: Entries, path: string) =>
  JOPLIN_ADDRESS.test(path) ? (entries.get(path)?.name ?? path) : path;

function fileCollector(entries: Entries) {
  const files: ItemFiles = { named: new Map(), attached: [], sizes: new Map() };
  const problems = new Set<string>();
  return {
    files,
    problems,
    add(path: string): void {
      const size = entries.get(path)?.size ?? 0;
      if (size > 0 && size <= MAX_UPLOAD_BYTES) files.sizes.set(path, size);
      else
        problems.add(
          `${displayName(entries, path)} is ${size === 0 ? "empty" : "larger than 1 GB"}, so it was skipped`,
        );
    },
    miss: (name: string) => problems.add(`${decoded(name)} is missing, so links to it won't work`),
  };
}

/** Whether a referenced file is to be uploaded. Other text files are notes themselves. */
const isToUpload = (path: string, { isOwn }: Item) => !isText(path) || (isOwn && OWN_FILES_FOLDER.test(path));

const looksLikeFile = (target: string) =>
  JOPLIN_ADDRESS.test(target) || (IS_FILE.test(withoutPlace(decoded(target))) && !IS_ELSEWHERE.test(target));

/** Collects the files that the text of a note refers to. Returns the number of links to other notes. */
function collectLinked(
  item: Item,
  find: Find,
  { files, add, miss }: ReturnType<typeof fileCollector>,
): number {
  let toNotes = 0;
  for (const { target, isWiki } of referencesIn(String(item.content.text))) {
    const path = find(target, item.path, isWiki);
    if (path === undefined && looksLikeFile(target)) miss(target);
    const isNote =
      path === undefined ? isWiki && find(`${target}.md`, item.path, true) : !isToUpload(path, item);
    if (isNote) toNotes += 1;
    if (path === undefined || !isToUpload(path, item)) continue;
    files.named.set(target, path);
    add(path);
  }
  return toNotes;
}

/** Collects the files attached to a note of our own export. Files that the text refers to are attached anyway. */
function collectAttached(
  item: Item,
  find: Find,
  { files, add, miss }: ReturnType<typeof fileCollector>,
): void {
  for (const link of item.attached ?? []) {
    const path = find(link, item.path, false);
    if (path === undefined) miss(link);
    else {
      files.attached.push(path);
      add(path);
    }
  }
}

/** The item with the files that it needs, and a note about each missing one. */
function withCollectedFiles(item: Item, entries: Entries, find: Find): { item: Item; toNotes: number } {
  const needed = fileCollector(entries);
  const toNotes = collectLinked(item, find, needed);
  collectAttached(item, find, needed);
  const { files, problems } = needed;
  const notes = [...item.notes, ...problems];
  return { item: { ...item, notes, ...(files.sizes.size > 0 && { files }) }, toNotes };
}

const unresolvedLinksNote = (toNotes: number) =>
  `${toNotes === 1 ? "1 link to another note was" : `${toNotes.toLocaleString("en")} links between notes were`} kept as written, but can't be followed here`;

/** The entries with the files that their notes need. Those files are removed from the entries themselves. */
export function withFiles(found: readonly Found[], entries: Entries): Found[] {
  const find = finder(entries.keys());
  const linking: Item[] = [];
  let toNotes = 0;
  const all = found.map((one) => {
    if (!mayHaveFiles(one)) return one;
    const collected = withCollectedFiles(one, entries, find);
    if (collected.toNotes > 0) linking.push(collected.item);
    toNotes += collected.toNotes;
    return collected.item;
  });
  linking[0]?.notes.push(unresolvedLinksNote(toNotes));
  const needed = new Set(
    all.flatMap((one) => ("content" in one && one.files ? [...one.files.sizes.keys()] : [])),
  );
  return all.filter((one) => {
    if ("leftOut" in one) return !needed.has(one.where);
    return !("path" in one) || one.path === undefined || !needed.has(one.path);
  });
}

/** The entries for a service without file storage. A note on the first item that needs a file covers all of them. */
export function withoutFiles(found: readonly Found[]): Found[] {
  const paths = new Set(
    found.flatMap((one) => ("content" in one && one.files ? [...one.files.sizes.keys()] : [])),
  );
  const which =
    paths.size === 1
      ? "the file that your notes link to was"
      : `the ${paths.size} files that your notes link to were`;
  let notes = [`This service has no file storage, so ${which} skipped, and those links won't work`];
  return found.map((one) => {
    if (!("content" in one) || !one.files) return one;
    const { files: _, ...item } = one;
    const withNote = { ...item, notes: [...item.notes, ...notes] };
    notes = [];
    return withNote;
  });
}

/** The account's existing files, if the entries need any and the service has file storage. */
export const filesHereFor = async (
  client: Client,
  found: readonly Found[],
): Promise<FilesHere | undefined> =>
  found.some((one) => "content" in one && one.files) ? readFilesHere(client) : undefined;

/** Uploads the files of notes. A file that fails is reported; references to it stay as they are. */
export async function bringFilesOf(
  client: Client,
  items: readonly Item[],
  {
    entries,
    here,
    onProgress,
  }: { entries: Entries; here: FilesHere; onProgress: (done: number, total: number) => void },
): Promise<{ ids: Map<string, string>; refused: Refusal[] }> {
  const ids = new Map<string, string>();
  const refused: Refusal[] = [];
  const paths = [...new Set(items.flatMap(({ files }) => [...(files?.sizes.keys() ?? [])]))];
  await fewAtOnce(paths, async (path) => {
    onProgress(ids.size + refused.length, paths.length);
    try {
      const bytes = entries.get(path) as Bytes;
      ids.set(path, await bringFile(client, { name: bytes.name ?? basename(path), bytes }, here));
    } catch (problem) {
      if (!(problem instanceof Refused)) throw problem;
      refused.push({ where: displayName(entries, path), why: messageOf(problem) });
    }
  });
  return { ids, refused };
}

export function contentWith({ content, files }: Item, ids: FileIds): Item["content"] {
  if (!files || files.named.size === 0) return content;
  const idOf = ({ target }: { target: string }) => ids.get(files.named.get(target) ?? "");
  return { ...content, text: withReferences(String(content.text), idOf) };
}

export const attachedTo = ({ files }: Item, ids: FileIds): string[] => [
  ...new Set((files?.attached ?? []).flatMap((path) => ids.get(path) ?? [])),
];
