import { createReadStream, existsSync, openAsBlob, statSync } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import { linesName } from "../../src/contract/export-format.ts";
import { type AccountFiles, accountIn } from "../../src/contract/import/account.ts";
import { withFiles } from "../../src/contract/import/attachments.ts";
import { type Bytes, type Entries, entriesOf as entriesIn } from "../../src/contract/import/entries.ts";
import { type Found, messageOf, type Target } from "../../src/contract/import/item.ts";
import { asJoplin } from "../../src/contract/import/joplin/read.ts";
import { readJsonLines } from "../../src/contract/import/json-lines.ts";
import { asNotion } from "../../src/contract/import/notion/read.ts";
import { withVaultTitles } from "../../src/contract/import/obsidian.ts";
import { asTodoist, type TaskSource } from "../../src/contract/import/records/backup.ts";
import { mayHaveTasks } from "../../src/contract/import/records/names.ts";
import { counterUpTo, TooMuch } from "../../src/contract/import/size.ts";
import { entriesOfTar } from "../../src/contract/import/tar.ts";
import { openZip } from "../../src/contract/import/zip.ts";
import { readFolder } from "./files.ts";

export type Source = { path: string; isFolder: boolean };

const isZip = ({ path, isFolder }: Source) => !isFolder && /\.zip$/i.test(path);

/** Resolves the folder or file to import. Throws if it does not exist or has an unsupported format. */
export async function findSource(source: string): Promise<Source> {
  const path = await realpath(source).catch(() => {
    throw new Error(`${source} does not exist`);
  });
  const isFolder = (await stat(path)).isDirectory();
  if (!isFolder && !/\.(jsonl|ndjson|zip|jex)$/i.test(path) && !mayHaveTasks(path))
    throw new Error(`${source} is not a folder or a .zip, .jex, .jsonl, .csv, .json or .ics file`);
  return { path, isFolder };
}

/** The bytes of a file on disk, which is opened when they are read. */
function fileBytes(path: string): Bytes {
  const { size } = statSync(path);
  // Node's stream types differ from those of the web.
  const stream = () => Readable.toWeb(createReadStream(path)) as unknown as ReadableStream<Uint8Array>;
  return { size, stream };
}

/** The files of a folder that are neither hidden nor unreadable. */
function entriesOf(root: string, found: readonly Found[]): Entries {
  const paths = found.flatMap((one) => {
    if ("leftOut" in one) return one.leftOut.startsWith("not supported") ? [one.where] : [];
    return "content" in one ? [one.path] : [];
  });
  return new Map(paths.map((path) => [path, fileBytes(join(root, path))]));
}

/** The texts of a source, and all its files by path. */
export type Opened = { found: Found[]; entries: Entries; tasks?: readonly TaskSource[] };

async function openFolder({ path }: Source, target: Target): Promise<Opened> {
  const found: Found[] = [];
  for await (const one of readFolder(path, target)) found.push(one);
  return { found, entries: entriesOf(path, found) };
}

const fileAt = async (path: string) => new File([await openAsBlob(path)], basename(path));

/** Adds the archive's name to a problem. */
const nameArchive =
  (path: string) =>
  (problem: unknown): never => {
    if (problem instanceof TooMuch) throw problem;
    throw new Error(`${basename(path)} ${messageOf(problem)}`);
  };

/** The account in a zip or folder written by `GET /api/export?format=zip`; undefined for other sources. */
export async function wholeAccount(source: Source): Promise<AccountFiles | undefined> {
  const { path, isFolder } = source;
  if (isZip(source)) return accountIn(await entriesIn(await fileAt(path)).catch(nameArchive(path)));
  if (!isFolder || !existsSync(join(path, linesName(1)))) return undefined;
  return accountIn((await openFolder(source, { folders: [], tags: [] })).entries);
}

/** A higher limit than the app's, because Node has more memory than a browser tab. */
const sizeCounter = () => counterUpTo(1024, "Import them in parts.");

/** Adds the target's folders and tags to a text from an archive. */
const placeInTarget =
  ({ path }: Source, target: Target) =>
  (one: Found): Found =>
    "content" in one
      ? {
          ...one,
          source: path,
          folders: [...target.folders, ...one.folders],
          tags: [...target.tags, ...one.tags],
        }
      : one;

async function openZipFile(source: Source, target: Target): Promise<Opened> {
  const { path } = source;
  const { found, entries } = await openZip(await fileAt(path), sizeCounter()).catch(nameArchive(path));
  return { found: found.map(placeInTarget(source, target)), entries };
}

async function openJex({ path }: Source): Promise<Opened> {
  return { found: [], entries: await entriesOfTar(await fileAt(path)).catch(nameArchive(path)) };
}

/** Reads an export of Joplin, in any packing. Returns other sources unchanged. */
async function readJoplin(opened: Opened, source: Source, target: Target): Promise<Opened> {
  const converted = await asJoplin(opened, source.path, sizeCounter());
  return converted === opened
    ? opened
    : { ...converted, found: converted.found.map(placeInTarget(source, target)) };
}

async function openLines({ path }: Source, target: Target): Promise<Opened> {
  const found: Found[] = [];
  for await (const one of readJsonLines({ source: path, chunks: createReadStream(path) }, target))
    found.push(one);
  return { found, entries: new Map() };
}

const chooseOpener = (source: Source) => {
  if (source.isFolder) return openFolder;
  if (isZip(source)) return openZipFile;
  return /\.jex$/i.test(source.path) ? openJex : openLines;
};

/** Reads an export of Notion or a backup of Todoist, in any packing. Returns other sources unchanged. */
const readNotionOrTodoist = async (opened: Opened, { path }: Source, target: Target): Promise<Opened> =>
  asNotion(await asTodoist(opened, sizeCounter()), { source: path, ...target }, sizeCounter());

/** Reads a source with the files that its texts link to. Throws if it cannot be read. */
export async function openSource(source: Source, target: Target): Promise<Opened> {
  const open = chooseOpener(source);
  const opened = await open(source, target);
  const converted = await readJoplin(opened, source, target);
  const {
    found,
    entries,
    tasks = [],
  } = converted === opened ? await readNotionOrTodoist(opened, source, target) : converted;
  return { found: withFiles(withVaultTitles(found), entries), entries, tasks };
}
