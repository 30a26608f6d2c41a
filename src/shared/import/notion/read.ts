import type { OpenedFiles } from "../entries.ts";
import { decodeAddress, withoutQueryAndFragment } from "../file-finder.ts";
import { type FoundEntry, fitTitle, type ImportItem } from "../item.ts";
import { firstHeading, fitTags } from "../markdown.ts";
import { parseNotionName } from "../notion-names.ts";
import { defaultTitle, foldersAbove, stem, withoutNotionId } from "../paths.ts";
import { readInstant } from "../records/notion-csv.ts";
import { databaseDocument, type NotionDatabase, readDatabases } from "./database.ts";
import { extractProperties, isEmptyPage, withCalloutsAsQuotes } from "./page.ts";

// Notion's export as Markdown and CSV: pages become documents with their properties, and databases of tasks become records.

/** Source, folders and tags of documents made from tables. Pages already have theirs. */
type TableTarget = { source: string; folders: string[]; tags: string[] };

const isPage = (one: FoundEntry): one is ImportItem =>
  "content" in one && one.content.format === "markdown" && parseNotionName(one.path) !== undefined;

/** Possible folders of a database's pages: named like it, with or without its id. */
const folderKeys = ({ path, name, id }: NotionDatabase): string[] => {
  const above = foldersAbove(path);
  return [`${name} ${id}`, name].map((folder) => [...above, folder].join("/"));
};

function databaseFinder(
  databases: readonly NotionDatabase[],
): (page: ImportItem) => NotionDatabase | undefined {
  const byFolder = new Map(
    databases.toReversed().flatMap((one) => folderKeys(one).map((key) => [key, one] as const)),
  );
  return ({ path }) => byFolder.get(foldersAbove(path).join("/"));
}

const TAGS = /^(?:tags?|labels?|etiketten|schlagwörter)$/i;
const CREATED = /^(?:created(?: time)?|erstellt(?: am)?)$/i;
const UPDATED = /^(?:last edited(?: time)?|zuletzt bearbeitet)$/i;

const findProperty = (properties: Record<string, string>, name: RegExp): string =>
  Object.entries(properties).find(([one]) => name.test(one))?.[1] ?? "";

function propertyTime(value: string): Date | undefined {
  const instant = readInstant(value, "2000-01-01");
  const time = instant ? new Date(instant) : undefined;
  return time && time <= new Date() ? time : undefined;
}

const pageTitle = (page: ImportItem, text: string): string => {
  const { name = "", id = "" } = parseNotionName(page.path) ?? {};
  if (page.heading === undefined && page.title !== fitTitle(defaultTitle(page.path)).title) return page.title;
  const title = text.startsWith("# ") ? (firstHeading(text) ?? name) : name;
  return title.endsWith(id) ? withoutNotionId(` ${title}`).trim() || name : title;
};

function pageItem(page: ImportItem, database: NotionDatabase | undefined): ImportItem {
  const { text, properties } = extractProperties(String(page.content.text), new Set(database?.columns));
  const { title, notes } = fitTitle(pageTitle(page, text));
  const all = { ...(page.content.front_matter as object | undefined), ...properties };
  const allNotes = [...page.notes, ...notes];
  const tags = findProperty(properties, TAGS)
    .split(",")
    .map((tag) => tag.trim())
    .filter(Boolean);
  const created_at = propertyTime(findProperty(properties, CREATED)) ?? page.created_at;
  const updated_at = propertyTime(findProperty(properties, UPDATED)) ?? page.updated_at;
  return {
    ...page,
    title,
    created_at,
    updated_at: updated_at && created_at && updated_at < created_at ? created_at : updated_at,
    tags: fitTags([...page.tags, ...tags], allNotes),
    content: {
      ...page.content,
      text: withCalloutsAsQuotes(text),
      ...(Object.keys(all).length > 0 && { front_matter: all }),
    },
    notes: allNotes,
  };
}

const LINK = /(?<!!)\[([^[\]\n]{0,500})\]\(((?:[^\s()<>]|\([^\s()<>]{0,500}\)){1,2000})\)/g;
const NOTION_ADDRESS = /^https:\/\/(?:www\.)?notion\.so\/[^?#]*([0-9a-f]{32})(?:[?#]|$)/;
const UNLINKABLE = /[[\]|#\n]/;

/** Link titles of pages and tables by id; empty for those that do not become documents. */
type Titles = ReadonlyMap<string, string>;

/** Replaces links to other pages with wiki links to their titles, because Notion's paths and ids mean nothing here. */
export const withTitleLinks = (text: string, titles: Titles): string =>
  text.replace(LINK, (whole, words: string, address: string) => {
    const id =
      NOTION_ADDRESS.exec(address)?.[1] ??
      parseNotionName(withoutQueryAndFragment(decodeAddress(address)))?.id ??
      "";
    const title = titles.get(id);
    if (title === undefined || UNLINKABLE.test(title)) return whole;
    if (title === "") return words;
    return words === title || words === "" ? `[[${title}]]` : `[[${title}|${words}]]`;
  });

type ReadExport = {
  databases: readonly NotionDatabase[];
  pages: ReadonlyMap<FoundEntry, ImportItem>;
  databaseOf: (page: ImportItem) => NotionDatabase | undefined;
};

/** Whether a page is a row that becomes a record and has no text of its own. Views may lack rows that have a page. */
function isTask(page: ImportItem, { databaseOf: of }: ReadExport): boolean {
  const database = of(page);
  return (
    database?.hasTasks === true && database.titles.has(page.title) && isEmptyPage(String(page.content.text))
  );
}

function linkTitles(read: ReadExport): Titles {
  const pages = [...read.pages.values()].map(
    (page) => [parseNotionName(page.path)?.id ?? "", isTask(page, read) ? "" : page.title] as const,
  );
  const tables = read.databases.map(({ id, name, hasTasks }) => [id, hasTasks ? "" : name] as const);
  return new Map([...tables, ...pages]);
}

function tableDocuments(
  { databases, pages, databaseOf: of }: ReadExport,
  { source, folders, tags }: TableTarget,
): ImportItem[] {
  const rows = Map.groupBy(pages.values(), of);
  return databases
    .filter(({ hasTasks }) => !hasTasks)
    .map((database) => {
      const titles = (rows.get(database) ?? []).map(({ title }) => title);
      const document = databaseDocument(
        database,
        source,
        new Set(titles.filter((title) => !UNLINKABLE.test(title))),
      );
      return { ...document, folders: [...folders, ...document.folders], tags };
    });
}

/** Whether a name has words and an id. Other programs may name files with 32 digits alone, such as a checksum. */
const hasNotionId = (path: string) => (parseNotionName(path)?.id ?? stem(path)) !== stem(path);

/**
 * Reads the opened files as a Notion export if they are one. `count` is called with the number of bytes of tables read.
 *
 * @param into source, folders and tags of the documents made from tables
 * @returns with task tables in `tasks`
 */
export async function readNotionExport(
  opened: OpenedFiles,
  into: TableTarget,
  count: (bytes: number) => void,
): Promise<OpenedFiles> {
  if (![...opened.entries.keys(), ...opened.found.map(({ where }) => where)].some(hasNotionId)) return opened;
  const { databases, found: tableEntries } = await readDatabases(opened.entries, count);
  if (databases.length + tableEntries.length === 0 && !opened.found.some(isPage)) return opened;
  const findDatabase = databaseFinder(databases);
  const pages = opened.found
    .filter(isPage)
    .map((page) => [page, pageItem(page, findDatabase(page))] as const);
  const read: ReadExport = { databases, pages: new Map(pages), databaseOf: findDatabase };
  const titles = linkTitles(read);
  const tables = new Set([...databases.map(({ path }) => path), ...tableEntries.map(({ where }) => where)]);
  const others = opened.found.flatMap((one): FoundEntry[] => {
    if (tables.has(one.where)) return [];
    const page = read.pages.get(one);
    if (!page) return [one];
    if (isTask(page, read)) return [{ where: page.where, leftOut: "task, imported as a record" }];
    const text = withTitleLinks(String(page.content.text), titles);
    return [{ ...page, content: { ...page.content, text } }];
  });
  const tasks = databases.filter(({ hasTasks }) => hasTasks);
  return {
    found: [...others, ...tableDocuments(read, into), ...tableEntries],
    entries: opened.entries,
    tasks: tasks.map(({ path, bytes }) => ({ name: path, bytes, isPart: true })),
  };
}
