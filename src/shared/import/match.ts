import { type ImportedDocument, type ImportMark, isOldMark, type OldImportMark } from "./imported.ts";
import { type ImportItem, shortDigest } from "./item.ts";

export type MarkedItem = {
  item: ImportItem;
  mark: ImportMark;
  old: OldImportMark;
  /** The folder that it belongs in; undefined if it does not exist yet. */
  folder_id: string | null | undefined;
};

type Keys<Of> = (of: Of) => unknown[] | undefined;
type Rule = { ofItem: Keys<MarkedItem>; ofDocument: Keys<ImportedDocument> };

/** Compares the marks of this release, and the folders. */
const byMark = (
  keysOf: (mark: ImportMark, folder_id: MarkedItem["folder_id"]) => unknown[] | undefined,
): Rule => ({
  ofItem: ({ mark, folder_id }) => keysOf(mark, folder_id),
  ofDocument: ({ mark, folder_id }) => (isOldMark(mark) ? undefined : keysOf(mark, folder_id)),
});

const byOldMark = (field: keyof OldImportMark): Rule => ({
  ofItem: ({ old }) => [old[field]],
  ofDocument: ({ mark }) => (isOldMark(mark) ? [mark[field]] : undefined),
});

/** By folder in the account and file name, which still match after the folder was renamed on both sides. */
const byPlace = (anySource: boolean) =>
  byMark((mark, folder_id) =>
    folder_id === undefined ? undefined : [folder_id, mark.name, anySource || mark.source],
  );

const byOrigin = byMark((mark) => [mark.source, mark.origin]);

/** The mark of earlier releases for a path that was not in NFC: as given, or else in NFD as macOS stores it. */
const byRawOrigin: Rule = {
  ofItem: ({ item: { path }, mark }) => {
    const raw = path === path.normalize("NFC") ? path.normalize("NFD") : path;
    return raw === path.normalize("NFC") ? undefined : [mark.source, shortDigest(raw)];
  },
  ofDocument: byOrigin.ofDocument,
};

const byContentAnd = (field: "name" | "rest" | undefined) =>
  byMark((mark) => [mark.content, field && mark[field]]);

const PLACE_RULES = (anySource: boolean) => [byPlace(anySource), byOrigin, byRawOrigin, byOldMark("origin")];
const CONTENT_RULES = [
  byContentAnd("name"),
  byContentAnd("rest"),
  byContentAnd(undefined),
  byOldMark("checksum"),
];

export type ItemMatches = { known: Map<MarkedItem, ImportedDocument>; rest: ImportedDocument[] };

function applyRule(rule: Rule, items: MarkedItem[], { known, rest }: ItemMatches): ItemMatches {
  const free = new Map<string, ImportedDocument[]>();
  for (const document of rest) {
    const key = rule.ofDocument(document);
    if (key) free.set(JSON.stringify(key), [...(free.get(JSON.stringify(key)) ?? []), document]);
  }
  const taken = new Set<ImportedDocument>();
  for (const item of items) {
    const key = known.has(item) ? undefined : rule.ofItem(item);
    const document = key && free.get(JSON.stringify(key))?.shift();
    if (!document) continue;
    known.set(item, document);
    taken.add(document);
  }
  return { known, rest: rest.filter((document) => !taken.has(document)) };
}

/**
 * Matches items to imported documents: by place, then by content, which survives moving a file. Documents for which `keep`
 * returns true are not matched by content. `anySource`: matching the folder is enough.
 */
export function matchItems(
  items: MarkedItem[],
  documents: ImportedDocument[],
  { anySource, keep }: { anySource: boolean; keep: (document: ImportedDocument) => boolean },
): ItemMatches & { moved: Set<MarkedItem> } {
  let matches: ItemMatches = { known: new Map(), rest: documents };
  for (const rule of PLACE_RULES(anySource)) matches = applyRule(rule, items, matches);
  const placed = new Set(matches.known.keys());
  const excluded = matches.rest.filter(keep);
  matches = { known: matches.known, rest: matches.rest.filter((document) => !keep(document)) };
  for (const rule of CONTENT_RULES) matches = applyRule(rule, items, matches);
  const moved = new Set([...matches.known.keys()].filter((item) => !placed.has(item)));
  return { known: matches.known, rest: [...matches.rest, ...excluded], moved };
}
