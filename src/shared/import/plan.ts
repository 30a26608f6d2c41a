import { normalizeName } from "../../contract/name-key.ts";
import { type NoteReading, readAsEarlierRelease } from "./earlier-releases.ts";
import type { FolderTree } from "./folders.ts";
import {
  createImportMark,
  createOldImportMark,
  type ImportedDocument,
  type ImportMark,
  isEditedSinceImport,
  isFrontMatterRewritten,
  isOldMark,
  nameDigest,
  type PlannedItem,
} from "./imported.ts";
import {
  type FoundEntry,
  type ImportItem,
  type ImportProblem,
  type ImportTarget,
  type SkippedEntry,
  shortDigest,
} from "./item.ts";
import { type MarkedItem, matchItems } from "./match.ts";
import { type FolderMove, findEmptyFolders, findFolderRenames } from "./mirror-folders.ts";

export type ImportPlan = {
  steps: PlannedItem[];
  renames: FolderMove[];
  trash: ImportedDocument[];
  /** Folders of the account that are not on disk and will be empty. */
  empty: { id: string; path: string[] }[];
  refused: ImportProblem[];
  leftOut: SkippedEntry[];
};

export type AccountState = { imported: ImportedDocument[]; tree: FolderTree };
export type PlanSettings = { target: ImportTarget; source: string; mirror: boolean };

/** Normalizes names as the service stores them: another Unicode form would be another folder or tag. */
const withNames = (item: ImportItem): ImportItem => ({
  ...item,
  title: item.title.normalize("NFC"),
  tags: [...new Set(item.tags.map(normalizeName))],
  folders: item.folders.map(normalizeName),
});

function sortEntries(found: Iterable<FoundEntry>) {
  const items: ImportItem[] = [];
  const refused: ImportProblem[] = [];
  const leftOut: SkippedEntry[] = [];
  for (const one of found) {
    if ("why" in one) refused.push(one);
    else if ("leftOut" in one) leftOut.push(one);
    else items.push(withNames(one));
  }
  return { items, refused, leftOut };
}

/** Removes repeated items, because an id must not stand for two documents. */
function withoutRepetitions(items: ImportItem[], refused: ImportProblem[]) {
  const repeated: PlannedItem[] = [];
  const first = new Map<string, ImportItem>();
  for (const item of items) {
    const key = JSON.stringify([item.source, item.path]);
    const earlier = first.get(key);
    if (!earlier) first.set(key, item);
    else if (createOldImportMark(earlier).checksum === createOldImportMark(item).checksum)
      repeated.push({ item, kind: "skip" });
    else refused.push({ where: item.where, why: `has the same id as ${earlier.where}` });
  }
  return { unique: [...first.values()], repeated };
}

/** The documents that a mirror manages: in its folder and with its tags, or without either those of its source. */
function mirrorScope({ target: { folders, tags }, source }: PlanSettings, tree: FolderTree) {
  const hasTarget = folders.length + tags.length > 0;
  const ownSource = shortDigest(source);
  return ({ folder_id, tags: given, mark }: ImportedDocument) =>
    hasTarget
      ? tree.isBelow(folder_id, folders) &&
        tags.every((tag) => given.some((one) => normalizeName(one) === tag))
      : !isOldMark(mark) && mark.source === ownSource;
}

/** `given`: tags that the import adds to every item. */
type ChangeOptions = { mirror: boolean; moved: boolean; given: readonly string[] };

const staysOld = ({ item }: MarkedItem, { mark }: ImportedDocument, { mirror, moved }: ChangeOptions) =>
  !mirror && !moved && isOldMark(mark) && mark.checksum === createOldImportMark(item).checksum;

const FORMS = ["NFC", "NFD"] as const;

/** Whether the mark is of this reading, in any Unicode form of the title and tags. */
const matchesReading = (before: ImportMark, { title, tags, content }: NoteReading) =>
  before.content === content &&
  FORMS.some((ofTitle) =>
    FORMS.some((ofTags) => {
      const read = [title.normalize(ofTitle), tags.map((tag) => tag.normalize(ofTags))];
      return before.rest === shortDigest(JSON.stringify(read));
    }),
  );

/** Whether the file is unchanged and only read differently than by earlier releases. */
function isReread(before: ImportMark, { item, mark }: MarkedItem, { given }: ChangeOptions): boolean {
  const { heading, title, tags } = item;
  if (matchesReading(before, { title: heading ?? title, tags, content: mark.content })) return true;
  const earlier = before.written === undefined ? readAsEarlierRelease(item, given) : undefined;
  return earlier !== undefined && matchesReading(before, earlier);
}

/** Whether the file is unchanged since its import. Edited documents may still have the title of earlier releases. */
const isKnown = (before: ImportMark, marked: MarkedItem, how: ChangeOptions & { edited: boolean }) =>
  (before.content === marked.mark.content &&
    before.rest === marked.mark.rest &&
    !isFrontMatterRewritten(before, marked.mark)) ||
  (how.edited && isReread(before, marked, how));

function changeKind(
  marked: MarkedItem,
  document: ImportedDocument,
  how: ChangeOptions,
): "skip" | "update" | "moved" | "edited" {
  const { mark: before } = document;
  if (isOldMark(before)) return staysOld(marked, document, how) ? "skip" : "update";
  // An import keeps edits made in the account; a mirror overwrites them with the file.
  const edited = isEditedSinceImport(document);
  const ofEdited = how.mirror ? "edited" : "skip";
  if (how.moved) return edited ? ofEdited : "moved";
  if (!isKnown(before, marked, { ...how, edited })) return "update";
  if (edited) return ofEdited;
  if (document.folder_id !== marked.folder_id) return "moved";
  return before.files === marked.mark.files ? "skip" : "update";
}

function itemStep(
  marked: MarkedItem,
  document: ImportedDocument | undefined,
  how: ChangeOptions,
): PlannedItem {
  const { item } = marked;
  if (!document) return { item, kind: "create" };
  const kind = changeKind(marked, document, how);
  return kind === "skip" ? { item, kind } : { item, kind, document };
}

function unreadableFiles(refused: ImportProblem[], { source, target }: PlanSettings, tree: FolderTree) {
  const paths = refused.flatMap(({ path }) => (path === undefined ? [] : [path]));
  const origins = new Set(paths.flatMap((path) => [shortDigest(path), nameDigest(path)]));
  const oldOrigins = new Set(paths.map((path) => shortDigest(`${source}/${path}`)));
  const places = new Set(
    paths.map((path) => {
      const names = path.split("/");
      return `${tree.idOf([...target.folders, ...names.slice(0, -1)])} ${nameDigest(names.at(-1) ?? "")}`;
    }),
  );
  const ownSource = shortDigest(source);
  return ({ mark, folder_id }: ImportedDocument) => {
    if (isOldMark(mark)) return oldOrigins.has(mark.origin);
    return (mark.source === ownSource && origins.has(mark.origin)) || places.has(`${folder_id} ${mark.name}`);
  };
}

function duplicates(rest: ImportedDocument[], known: ImportedDocument[]): ImportedDocument[] {
  const key = ({ mark }: ImportedDocument) => JSON.stringify(mark);
  const originals = new Set(known.filter((document) => !isEditedSinceImport(document)).map(key));
  return rest.filter((document) => !isEditedSinceImport(document) && originals.has(key(document)));
}

/** Plans an import. A document is identified by where it came from, or by equal content if its file is gone. */
export function planImport(
  found: Iterable<FoundEntry>,
  { imported, tree }: AccountState,
  given: PlanSettings,
): ImportPlan {
  const { folders, tags } = given.target;
  const settings = {
    ...given,
    target: { folders: folders.map(normalizeName), tags: tags.map(normalizeName) },
  };
  const { items, refused, leftOut } = sortEntries(found);
  const { unique, repeated } = withoutRepetitions(items, refused);
  const { mirror, target, source } = settings;
  const isOurs = mirrorScope(settings, tree);
  const inScope = new Set(imported.filter(isOurs));
  const marks = new Map(unique.map((item) => [item, createImportMark(item, 1)]));
  const renames = mirror ? findFolderRenames(marks, [...inScope], { tree, target }) : [];
  const marked = [...marks].map(([item, mark]) => ({
    item,
    mark,
    old: createOldImportMark(item),
    folder_id: tree.idOf(item.folders),
  }));
  const isUnreadable = unreadableFiles(refused, settings, tree);
  const ownSource = shortDigest(source);
  const candidates = mirror
    ? imported.filter(
        (document) => inScope.has(document) || isOldMark(document.mark) || document.mark.source === ownSource,
      )
    : imported;
  const anySource = mirror && target.folders.length + target.tags.length > 0;
  const { known, rest, moved } = matchItems(marked, candidates, { anySource, keep: isUnreadable });
  const steps = marked.map((one) =>
    itemStep(one, known.get(one), { mirror, moved: moved.has(one), given: target.tags }),
  );
  const trash = mirror
    ? rest.filter((document) => inScope.has(document) && !isUnreadable(document))
    : duplicates(rest, [...known.values()]);
  const empty = mirror ? findEmptyFolders({ steps, trash, items: unique }, { tree, target }) : [];
  return { steps: [...steps, ...repeated], renames, trash, empty, refused, leftOut };
}
