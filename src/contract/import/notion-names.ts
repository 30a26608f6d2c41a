import { extname, foldersAbove, stem, withoutId } from "./paths.ts";

// Notion ends the names of files with the id of a page or database: `Roses 0a1b….md`, `Tasks 0a1b….csv`, and with `_all` where
// the file has all rows of a database and not only those of its first view.

const NAMED = /^(?:(.*) )?([0-9a-f]{32})(_all)?$/;

export const UNTITLED = "Untitled";

/** What the name of a file of Notion says; undefined for a file of another program. */
export function notionNameOf(path: string): { name: string; id: string; isAll: boolean } | undefined {
  const [, name = "", id, all] = NAMED.exec(stem(path)) ?? [];
  return id === undefined ? undefined : { name: name.trim() || UNTITLED, id, isAll: all !== undefined };
}

/** A path as people know it: without the ids in the names of Notion's folders and files. */
export function withoutIds(path: string): string {
  const name = stem(path).replace(/ [0-9a-f]{32}(?:_all)?$/, "");
  return [...foldersAbove(path).map(withoutId), `${name}${extname(path)}`].join("/");
}

const ADDRESS = / \([^()\s]{32,1000}\)/g;

/** Without the addresses that Notion puts after the names of other pages: `Apollo (Projects%20…/Apollo%200a1b….md)`. */
export const withoutAddresses = (value: string): string =>
  value.replace(ADDRESS, (address) => (/[0-9a-f]{32}/.test(address) ? "" : address));
