import { type FileEntries, type FileSource, type OpenedFiles, readBytes } from "../entries.ts";
import {
  decodeUtf8,
  errorMessage,
  type FoundEntry,
  fitTitle,
  type ImportItem,
  textContent,
} from "../item.ts";
import { fitTags } from "../markdown.ts";
import { basename, extname } from "../paths.ts";
import { MAX_BODY_BYTES, TooMuchText, tooLargeMessage } from "../size-limits.ts";
import {
  isEncrypted,
  isInTrash,
  itemTime,
  type JoplinItem,
  NOTE,
  NOTE_TAG,
  NOTEBOOK,
  noteProperties,
  RESOURCE,
  readJoplinItem,
  TAG,
} from "./items.ts";

// Joplin's RAW export and JEX: notebooks become folders, and resources become files, which notes reference as `:/<id>`.

const ITEM = /(?:^|\/)[0-9a-f]{32}\.md$/;

/** Whether these files are a Joplin export, in which every text file is named by its id. */
function isJoplin(entries: FileEntries): boolean {
  const texts = [...entries.keys()].filter((path) => path.endsWith(".md"));
  return texts.length > 0 && texts.every((path) => ITEM.test(path));
}

async function readItemFile(bytes: FileSource, count: (bytes: number) => void): Promise<JoplinItem> {
  if (bytes.size > MAX_BODY_BYTES) throw new Error(tooLargeMessage(bytes.size));
  count(bytes.size);
  const item = readJoplinItem(decodeUtf8(await readBytes(bytes)));
  if (!item) throw new Error("is not a Joplin item");
  if (isEncrypted(item)) throw new Error("is encrypted: decrypt it in Joplin and export it again");
  return item;
}

type ReadItems = { items: JoplinItem[]; found: FoundEntry[] };

async function readItems(entries: FileEntries, count: (bytes: number) => void): Promise<ReadItems> {
  const read: ReadItems = { items: [], found: [] };
  for (const [path, bytes] of entries) {
    if (!ITEM.test(path)) continue;
    try {
      read.items.push(await readItemFile(bytes, count));
    } catch (problem) {
      if (problem instanceof TooMuchText) throw problem;
      read.found.push({ where: path, path, why: errorMessage(problem) });
    }
  }
  return read;
}

const itemsOfType = (items: readonly JoplinItem[], type: number) =>
  new Map(items.filter((one) => one.type === type).map((one) => [one.id, one]));

/** The names of the notebooks that contain a note, outermost first. Stops at a cycle. */
function notebookPath(parent: string, notebooks: ReadonlyMap<string, JoplinItem>): string[] {
  const names: string[] = [];
  const seen = new Set<string>();
  for (
    let at = notebooks.get(parent);
    at && !seen.has(at.id);
    at = notebooks.get(at.properties.get("parent_id") ?? "")
  ) {
    seen.add(at.id);
    names.unshift(at.title || "Untitled");
  }
  return names;
}

function tagsByNote(items: readonly JoplinItem[]): Map<string, string[]> {
  const tags = itemsOfType(items, TAG);
  const byNote = new Map<string, string[]>();
  for (const { properties } of itemsOfType(items, NOTE_TAG).values()) {
    const note = properties.get("note_id") ?? "";
    const tag = tags.get(properties.get("tag_id") ?? "")?.title;
    if (tag) byNote.set(note, [...(byNote.get(note) ?? []), tag]);
  }
  return byNote;
}

function resourceName({ title, id, properties }: JoplinItem): string {
  const name = basename((title || properties.get("filename") || id).replaceAll("\\", "/"));
  const ending = properties.get("file_extension");
  return extname(name) || !ending ? name : `${name}.${ending}`;
}

/** The resources by the reference that notes use. The id is in the path of the file. */
function resourceEntries(entries: FileEntries, items: readonly JoplinItem[]): FileEntries {
  const known = itemsOfType(items, RESOURCE);
  const resources = new Map<string, FileSource>();
  for (const [path, bytes] of entries) {
    const id = /(?:^|\/)([0-9a-f]{32})(?:\.[^/]*)?$/.exec(path)?.[1] ?? "";
    const resource = ITEM.test(path) ? undefined : known.get(id);
    if (resource)
      resources.set(`:/${id}`, {
        name: resourceName(resource),
        size: bytes.size,
        stream: () => bytes.stream(),
      });
  }
  return resources;
}

/** `[words](:/<note id>)`, optionally with a fragment. */
const NOTE_LINK = /(?<!!)\[([^[\]\n]{0,500})\]\(:\/([0-9a-f]{32})(?:#[^()\s]{0,300})?\)/g;
const UNLINKABLE = /[[\]|#\n]/;

/** Replaces links to other notes with wiki links to their titles, because Joplin's ids mean nothing here. */
const withTitleLinks = (text: string, notes: NoteContext["notes"]): string =>
  text.replace(NOTE_LINK, (whole, words: string, id: string) => {
    const title = notes.get(id)?.title ?? "";
    if (title === "" || UNLINKABLE.test(title)) return whole;
    return words === title || words === "" ? `[[${title}]]` : `[[${title}|${words}]]`;
  });

type NoteContext = {
  source: string;
  notebooks: ReadonlyMap<string, JoplinItem>;
  tags: ReadonlyMap<string, string[]>;
  notes: ReadonlyMap<string, JoplinItem>;
};

function noteItem(note: JoplinItem, { source, notebooks, tags, notes: all }: NoteContext): ImportItem {
  const folders = notebookPath(note.properties.get("parent_id") ?? "", notebooks);
  const properties = noteProperties(note);
  const { title, notes } = fitTitle(note.title || "Untitled");
  const content = {
    ...textContent(withTitleLinks(note.body, all)),
    ...(Object.keys(properties).length > 0 && { front_matter: properties }),
  };
  return {
    where: [...folders, title].join("/"),
    source,
    path: note.id,
    name: note.id,
    title,
    content,
    folders,
    notes,
    tags: fitTags(tags.get(note.id) ?? [], notes),
    created_at: itemTime(note, "created"),
    updated_at: itemTime(note, "updated"),
  };
}

/**
 * Reads the opened files as a Joplin export if they are one; otherwise returns them unchanged. `count` is called with the
 * number of text bytes read.
 */
export async function readJoplinExport(
  opened: OpenedFiles,
  source: string,
  count: (bytes: number) => void,
): Promise<OpenedFiles> {
  if (!isJoplin(opened.entries)) return opened;
  const { items, found } = await readItems(opened.entries, count);
  const all = itemsOfType(items, NOTE);
  const context = { source, notebooks: itemsOfType(items, NOTEBOOK), tags: tagsByNote(items), notes: all };
  const notes = [...all.values()].map((note): FoundEntry => {
    const item = noteItem(note, context);
    return isInTrash(note) ? { where: item.where, leftOut: "in Joplin's trash" } : item;
  });
  // For example a text that was too large to become an entry.
  const refused = opened.found.filter((one) => "why" in one && !opened.entries.has(one.path ?? ""));
  return { found: [...refused, ...found, ...notes], entries: resourceEntries(opened.entries, items) };
}
