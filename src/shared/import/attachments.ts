import { MAX_UPLOAD_BYTES } from "../../contract/file-limits.ts";
import type { ApiClient } from "./client.ts";
import type { FileEntries, FileSource } from "./entries.ts";
import {
  decodeAddress,
  EXTERNAL_ADDRESS,
  FILE_EXTENSION,
  type FindFile,
  fileFinder,
  withoutQueryAndFragment,
} from "./file-finder.ts";
import { isTextFile } from "./file-names.ts";
import type { FileIds, FoundEntry, ImportItem, ItemFiles, OnProgress } from "./item.ts";
import { noteMissingNotes } from "./missing-notes.ts";
import { basename } from "./paths.ts";
import { findReferences, replaceReferences } from "./references.ts";
import {
  type ExistingFiles,
  readExistingFiles,
  type UploadedFiles,
  uploadAll,
  uploadFile,
} from "./upload.ts";

// The files of a folder or zip that its notes refer to.

const JOPLIN_ADDRESS = /^:\/[0-9a-f]{32}/;

/** The folder where our own export keeps files, which may be text files. */
const OWN_FILES_FOLDER = /(?:^|\/)Files(?: \(\d+\))?\/[^/]+$/;

const mayHaveFiles = (one: FoundEntry): one is ImportItem =>
  "content" in one && one.content.format === "markdown";

/** The name of a file in messages. The address of a Joplin resource does not contain its name. */
const displayName = (entries: FileEntries, path: string) =>
  JOPLIN_ADDRESS.test(path) ? (entries.get(path)?.name ?? path) : path;

function fileCollector(entries: FileEntries) {
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
    miss: (name: string) => problems.add(`${decodeAddress(name)} is missing, so links to it won't work`),
  };
}

/** Whether a referenced file is to be uploaded. Other text files are notes themselves. */
const isToUpload = (path: string, { isOwn }: ImportItem) =>
  !isTextFile(path) || (isOwn && OWN_FILES_FOLDER.test(path));

const looksLikeFile = (target: string) =>
  JOPLIN_ADDRESS.test(target) ||
  (FILE_EXTENSION.test(withoutQueryAndFragment(decodeAddress(target))) && !EXTERNAL_ADDRESS.test(target));

/** Collects the files that the text of a note refers to. */
function collectLinked(
  item: ImportItem,
  find: FindFile,
  { files, add, miss }: ReturnType<typeof fileCollector>,
): void {
  for (const { target, isWiki } of findReferences(String(item.content.text))) {
    const path = find(target, item.path, isWiki);
    if (path === undefined && looksLikeFile(target)) miss(target);
    if (path === undefined || !isToUpload(path, item)) continue;
    files.named.set(target, path);
    add(path);
  }
}

/** Collects the files attached to a note of our own export. Files that the text refers to are attached anyway. */
function collectAttached(
  item: ImportItem,
  find: FindFile,
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

function withCollectedFiles(item: ImportItem, entries: FileEntries, find: FindFile): ImportItem {
  const needed = fileCollector(entries);
  collectLinked(item, find, needed);
  collectAttached(item, find, needed);
  const { files, problems } = needed;
  const notes = [...item.notes, ...problems];
  return { ...item, notes, ...(files.sizes.size > 0 && { files }) };
}

const neededPaths = (found: readonly FoundEntry[]) =>
  new Set(found.flatMap((one) => ("content" in one && one.files ? [...one.files.sizes.keys()] : [])));

/** The entries with the files that their notes need. Those files are removed from the entries themselves. */
export function withNeededFiles(found: readonly FoundEntry[], entries: FileEntries): FoundEntry[] {
  const find = fileFinder(entries.keys());
  const all = found.map((one) => (mayHaveFiles(one) ? withCollectedFiles(one, entries, find) : one));
  noteMissingNotes(all);
  const needed = neededPaths(all);
  return all.filter((one) => {
    if ("leftOut" in one) return !needed.has(one.where);
    return !("path" in one) || one.path === undefined || !needed.has(one.path);
  });
}

/** The entries for a service without file storage. A note on the first item that needs a file covers all of them. */
export function withoutFiles(found: readonly FoundEntry[]): FoundEntry[] {
  const { size } = neededPaths(found);
  const which =
    size === 1 ? "the file that your notes link to was" : `the ${size} files that your notes link to were`;
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
export const readExistingFilesFor = async (
  client: ApiClient,
  found: readonly FoundEntry[],
): Promise<ExistingFiles | undefined> =>
  found.some((one) => "content" in one && one.files) ? readExistingFiles(client) : undefined;

type UploadContext = { entries: FileEntries; existingFiles: ExistingFiles; onProgress: OnProgress };

/** Uploads the files of notes. References to a file that fails stay as they are. */
export function uploadItemFiles(
  client: ApiClient,
  items: readonly ImportItem[],
  { entries, existingFiles, onProgress }: UploadContext,
): Promise<UploadedFiles> {
  const upload = async (path: string, ids: UploadedFiles["ids"]) => {
    const bytes = entries.get(path) as FileSource;
    ids.set(path, await uploadFile(client, { name: bytes.name ?? basename(path), bytes }, existingFiles));
  };
  const where = (path: string) => displayName(entries, path);
  return uploadAll([...neededPaths(items)], upload, { where, onProgress });
}

export function contentWithFileIds({ content, files }: ImportItem, ids: FileIds): ImportItem["content"] {
  if (!files || files.named.size === 0) return content;
  const idOf = ({ target }: { target: string }) => ids.get(files.named.get(target) ?? "");
  return { ...content, text: replaceReferences(String(content.text), idOf) };
}

export const attachedFileIds = ({ files }: ImportItem, ids: FileIds): string[] => [
  ...new Set((files?.attached ?? []).flatMap((path) => ids.get(path) ?? [])),
];
