import { createReadStream, existsSync, openAsBlob, statSync } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import { exportPartName } from "../../src/contract/export-format.ts";
import { type AccountExport, findAccountExport } from "../../src/shared/import/account.ts";
import { withNeededFiles } from "../../src/shared/import/attachments.ts";
import {
  readZipEntries as entriesIn,
  type FileEntries,
  type FileSource,
  type TaskFileSource,
} from "../../src/shared/import/entries.ts";
import { errorMessage, type FoundEntry, type ImportTarget } from "../../src/shared/import/item.ts";
import { readJoplinExport } from "../../src/shared/import/joplin/read.ts";
import { readJsonLines } from "../../src/shared/import/json-lines.ts";
import { readNotionExport } from "../../src/shared/import/notion/read.ts";
import { withVaultTitles } from "../../src/shared/import/obsidian.ts";
import { mayBeTaskFile } from "../../src/shared/import/records/task-files.ts";
import { readTodoistBackup } from "../../src/shared/import/records/todoist-backup.ts";
import { byteCounter, TooMuchText } from "../../src/shared/import/size-limits.ts";
import { readTarEntries } from "../../src/shared/import/tar.ts";
import { openZip } from "../../src/shared/import/zip.ts";
import { isUnsupportedFile, readFolder } from "./files.ts";

export type ImportSource = { path: string; isFolder: boolean };

const isZip = ({ path, isFolder }: ImportSource) => !isFolder && /\.zip$/i.test(path);

/** Resolves the folder or file to import. Throws if it does not exist or has an unsupported format. */
export async function findSource(source: string): Promise<ImportSource> {
  const path = await realpath(source).catch(() => {
    throw new Error(`${source} does not exist`);
  });
  const isFolder = (await stat(path)).isDirectory();
  if (!isFolder && !/\.(jsonl|ndjson|zip|jex)$/i.test(path) && !mayBeTaskFile(path))
    throw new Error(`${source} is not a folder or a .zip, .jex, .jsonl, .csv, .json or .ics file`);
  return { path, isFolder };
}

/** The bytes of a file on disk, which is opened when they are read. */
function fileBytes(path: string): FileSource {
  const { size } = statSync(path);
  // Node's stream types differ from those of the web.
  const stream = () => Readable.toWeb(createReadStream(path)) as unknown as ReadableStream<Uint8Array>;
  return { size, stream };
}

/** The files of a folder that are neither hidden nor unreadable. */
function entriesOf(root: string, found: readonly FoundEntry[]): FileEntries {
  const paths = found.flatMap((one) => {
    if ("leftOut" in one) return isUnsupportedFile(one) ? [one.where] : [];
    return "content" in one ? [one.path] : [];
  });
  return new Map(paths.map((path) => [path, fileBytes(join(root, path))]));
}

/** The texts of a source, and all its files by path. */
export type OpenedSource = { found: FoundEntry[]; entries: FileEntries; tasks?: readonly TaskFileSource[] };

async function openFolder({ path }: ImportSource, target: ImportTarget): Promise<OpenedSource> {
  const found: FoundEntry[] = [];
  for await (const one of readFolder(path, target)) found.push(one);
  return { found, entries: entriesOf(path, found) };
}

const fileAt = async (path: string) => new File([await openAsBlob(path)], basename(path));

const nameArchive =
  (path: string) =>
  (problem: unknown): never => {
    if (problem instanceof TooMuchText) throw problem;
    throw new Error(`${basename(path)} ${errorMessage(problem)}`);
  };

/** The account in a zip or folder written by `GET /api/export?format=zip`; undefined for other sources. */
export async function readWholeAccount(source: ImportSource): Promise<AccountExport | undefined> {
  const { path, isFolder } = source;
  if (isZip(source)) return findAccountExport(await entriesIn(await fileAt(path)).catch(nameArchive(path)));
  if (!isFolder || !existsSync(join(path, exportPartName(1)))) return undefined;
  return findAccountExport((await openFolder(source, { folders: [], tags: [] })).entries);
}

/** A higher limit than the app's, because Node has more memory than a browser tab. */
const sizeCounter = () => byteCounter(1024, "Import them in parts.");

/** Adds the target's folders and tags to a text from an archive. */
const placeInTarget =
  ({ path }: ImportSource, target: ImportTarget) =>
  (one: FoundEntry): FoundEntry =>
    "content" in one
      ? {
          ...one,
          source: path,
          folders: [...target.folders, ...one.folders],
          tags: [...target.tags, ...one.tags],
        }
      : one;

async function openZipFile(source: ImportSource, target: ImportTarget): Promise<OpenedSource> {
  const { path } = source;
  const { found, entries } = await openZip(await fileAt(path), sizeCounter()).catch(nameArchive(path));
  return { found: found.map(placeInTarget(source, target)), entries };
}

async function openJex({ path }: ImportSource): Promise<OpenedSource> {
  return { found: [], entries: await readTarEntries(await fileAt(path)).catch(nameArchive(path)) };
}

/** Reads an export of Joplin, in any packing. Returns other sources unchanged. */
async function readJoplin(
  opened: OpenedSource,
  source: ImportSource,
  target: ImportTarget,
): Promise<OpenedSource> {
  const converted = await readJoplinExport(opened, source.path, sizeCounter());
  return converted === opened
    ? opened
    : { ...converted, found: converted.found.map(placeInTarget(source, target)) };
}

async function openLines({ path }: ImportSource, target: ImportTarget): Promise<OpenedSource> {
  const found: FoundEntry[] = [];
  for await (const one of readJsonLines({ source: path, chunks: createReadStream(path) }, target))
    found.push(one);
  return { found, entries: new Map() };
}

const chooseOpener = (source: ImportSource) => {
  if (source.isFolder) return openFolder;
  if (isZip(source)) return openZipFile;
  return /\.jex$/i.test(source.path) ? openJex : openLines;
};

/** Reads an export of Notion or a backup of Todoist, in any packing. Returns other sources unchanged. */
const readNotionOrTodoist = async (
  opened: OpenedSource,
  { path }: ImportSource,
  target: ImportTarget,
): Promise<OpenedSource> =>
  readNotionExport(
    await readTodoistBackup(opened, sizeCounter()),
    { source: path, ...target },
    sizeCounter(),
  );

/** Reads a source with the files that its texts link to. Throws if it cannot be read. */
export async function openSource(source: ImportSource, target: ImportTarget): Promise<OpenedSource> {
  const open = chooseOpener(source);
  const opened = await open(source, target);
  const converted = await readJoplin(opened, source, target);
  const {
    found,
    entries,
    tasks = [],
  } = converted === opened ? await readNotionOrTodoist(opened, source, target) : converted;
  return { found: withNeededFiles(withVaultTitles(found), entries), entries, tasks };
}
