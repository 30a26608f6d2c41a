import { extname, foldersAbove, stem, withoutNotionId } from "./paths.ts";

// Notion appends the id of a page or database to file names: `Roses 0a1b….md`, `Tasks 0a1b….csv`, followed by `_all` if the file
// has all rows of a database rather than those of its first view.

const NAMED = /^(?:(.*) )?([0-9a-f]{32})(_all)?$/;

export const UNTITLED = "Untitled";

/** The parts of a Notion file name; undefined for files of other programs. */
export function parseNotionName(path: string): { name: string; id: string; isAll: boolean } | undefined {
  const [, name = "", id, all] = NAMED.exec(stem(path)) ?? [];
  return id === undefined ? undefined : { name: name.trim() || UNTITLED, id, isAll: all !== undefined };
}

/** A path for display, without the ids that Notion adds to names. */
export function withoutNotionIds(path: string): string {
  const name = stem(path).replace(/ [0-9a-f]{32}(?:_all)?$/, "");
  return [...foldersAbove(path).map(withoutNotionId), `${name}${extname(path)}`].join("/");
}

const ADDRESS = / \([^()\s]{32,1000}\)/g;

/** Removes the addresses that Notion adds after page names: `Apollo (Projects%20…/Apollo%200a1b….md)`. */
export const withoutPageAddresses = (value: string): string =>
  value.replace(ADDRESS, (address) => (/[0-9a-f]{32}/.test(address) ? "" : address));
