import { asName } from "../name-key.ts";
import { earlierReading, type Reading } from "./earlier.ts";
import type { FolderTree } from "./folders.ts";
import {
  type Imported,
  type ImportMark,
  isEdited,
  isOld,
  isRewritten,
  markOf,
  nameDigest,
  oldMarkOf,
  type Step,
} from "./imported.ts";
import { type Found, type Item, type LeftOut, type Refusal, shortDigest, type Target } from "./item.ts";
import { type Marked, matchItems } from "./match.ts";
import { emptyFolders, type FolderMove, findRenames } from "./mirror-folders.ts";

export type Plan = {
  steps: Step[];
  renames: FolderMove[];
  trash: Imported[];
  /** Folders of the account that are not on disk and will be empty. */
  empty: { id: string; path: string[] }[];
  refused: Refusal[];
  leftOut: LeftOut[];
};

export type Account = { imported: Imported[]; tree: FolderTree };
export type Settings = { target: Target; source: string; mirror: boolean };

/** Normalizes names as the service stores them: another Unicode form would be another folder or tag. */
const withNames = (item: Item): Item => ({
  ...item,
  title: item.title.normalize("NFC"),
  tags: [...new Set(item.tags.map(asName))],
  folders: item.folders.map(asName),
});

function sortEntries(found: Iterable<Found>) {
  const items: Item[] = [];
  const refused: Refusal[] = [];
  const leftOut: LeftOut[] = [];
  for (const one of found) {
    if ("why" in one) refused.push(one);
    else if ("leftOut" in one) leftOut.push(one);
    else items.push(withNames(one));
  }
  return { items, refused, leftOut };
}

/** Removes repeated items, because an id must not stand for two documents. */
function withoutRepetitions(items: Item[], refused: Refusal[]) {
  const repeated: Step[] = [];
  const first = new Map<string, Item>();
  for (const item of items) {
    const key = JSON.stringify([item.source, item.path]);
    const earlier = first.get(key);
    if (!earlier) first.set(key, item);
    else if (oldMarkOf(earlier).checksum === oldMarkOf(item).checksum) repeated.push({ item, kind: "skip" });
    else refused.push({ where: item.where, why: `has the same id as ${earlier.where}` });
  }
  return { unique: [...first.values()], repeated };
}

/** The documents that a mirror manages: in its folder and with its tags, or without either those of its source. */
function mirrorScope({ target: { folders, tags }, source }: Settings, tree: FolderTree) {
  const hasTarget = folders.length + tags.length > 0;
  const ownSource = shortDigest(source);
  return ({ folder_id, tags: given, mark }: Imported) =>
    hasTarget
      ? tree.isBelow(folder_id, folders) && tags.every((tag) => given.some((one) => asName(one) === tag))
      : !isOld(mark) && mark.source === ownSource;
}

/** `given`: tags that the import adds to every item. */
type ChangeOptions = { mirror: boolean; moved: boolean; given: readonly string[] };

const staysOld = ({ item }: Marked, { mark }: Imported, { mirror, moved }: ChangeOptions) =>
  !mirror && !moved && isOld(mark) && mark.checksum === oldMarkOf(item).checksum;

const FORMS = ["NFC", "NFD"] as const;

/** Whether the mark is of this reading, in any Unicode form of the title and tags. */
const matchesReading = (before: ImportMark, { title, tags, content }: Reading) =>
  before.content === content &&
  FORMS.some((ofTitle) =>
    FORMS.some((ofTags) => {
      const read = [title.normalize(ofTitle), tags.map((tag) => tag.normalize(ofTags))];
      return before.rest === shortDigest(JSON.stringify(read));
    }),
  );

/** Whether the file is unchanged and only read differently than by earlier releases. */
function isReread(before: ImportMark, { item, mark }: Marked, { given }: ChangeOptions): boolean {
  const { heading, title, tags } = item;
  if (matchesReading(before, { title: heading ?? title, tags, content: mark.content })) return true;
  const earlier = before.written === undefined ? earlierReading(item, given) : undefined;
  return earlier !== undefined && matchesReading(before, earlier);
}

/** Whether the file is unchanged since its import. Edited documents may still have the title of earlier releases. */
const isKnown = (before: ImportMark, marked: Marked, how: ChangeOptions & { edited: boolean }) =>
  (before.content === marked.mark.content &&
    before.rest === marked.mark.rest &&
    !isRewritten(before, marked.mark)) ||
  (how.edited && isReread(before, marked, how));

function changeKind(
  marked: Marked,
  document: Imported,
  how: ChangeOptions,
): "skip" | "update" | "moved" | "edited" {
  const { mark: before } = document;
  if (isOld(before)) return staysOld(marked, document, how) ? "skip" : "update";
  // An import keeps edits made in the account; a mirror overwrites them with the file.
  const edited = isEdited(document);
  const ofEdited = how.mirror ? "edited" : "skip";
  if (how.moved) return edited ? ofEdited : "moved";
  if (!isKnown(before, marked, { ...how, edited })) return "update";
  if (edited) return ofEdited;
  if (document.folder_id !== marked.folder_id) return "moved";
  return before.files === marked.mark.files ? "skip" : "update";
}

function itemStep(marked: Marked, document: Imported | undefined, how: ChangeOptions): Step {
  const { item } = marked;
  if (!document) return { item, kind: "create" };
  const kind = changeKind(marked, document, how);
  return kind === "skip" ? { item, kind } : { item, kind, document };
}

function unreadableFiles(refused: Refusal[], { source, target }: Settings, tree: FolderTree) {
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
  return ({ mark, folder_id }: Imported) => {
    if (isOld(mark)) return oldOrigins.has(mark.origin);
    return (mark.source === ownSource && origins.has(mark.origin)) || places.has(`${folder_id} ${mark.name}`);
  };
}

function duplicates(rest: Imported[], known: Imported[]): Imported[] {
  const key = ({ mark }: Imported) => JSON.stringify(mark);
  const originals = new Set(known.filter((document) => !isEdited(document)).map(key));
  return rest.filter((document) => !isEdited(document) && originals.has(key(document)));
}

/** Plans an import. A document is identified by where it came from, or by equal content if its file is gone. */
export function planImport(found: Iterable<Found>, { imported, tree }: Account, given: Settings): Plan {
  const { folders, tags } = given.target;
  const settings = { ...given, target: { folders: folders.map(asName), tags: tags.map(asName) } };
  const { items, refused, leftOut } = sortEntries(found);
  const { unique, repeated } = withoutRepetitions(items, refused);
  const { mirror, target, source } = settings;
  const isOurs = mirrorScope(settings, tree);
  const inScope = new Set(imported.filter(isOurs));
  const marks = new Map(unique.map((item) => [item, markOf(item, 1)]));
  const renames = mirror ? findRenames(marks, [...inScope], { tree, target }) : [];
  const marked = [...marks].map(([item, mark]) => ({
    item,
    mark,
    old: oldMarkOf(item),
    folder_id: tree.idOf(item.folders),
  }));
  const isUnreadable = unreadableFiles(refused, settings, tree);
  const ownSource = shortDigest(source);
  const candidates = mirror
    ? imported.filter(
        (document) => inScope.has(document) || isOld(document.mark) || document.mark.source === ownSource,
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
  const empty = mirror ? emptyFolders({ steps, trash, items: unique }, { tree, target }) : [];
  return { steps: [...steps, ...repeated], renames, trash, empty, refused, leftOut };
}
