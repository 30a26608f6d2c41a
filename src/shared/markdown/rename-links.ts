import { linkKey, linkNameKey, type NoteLink, noteLinksIn } from "./note-links.ts";

/** What a title in `[[…]]` cannot contain; `/` would be a folder. */
const UNWRITABLE = /[[\]|#/\n\r]|^\s|\s$/;

const encoded = (title: string) =>
  encodeURIComponent(title.toWellFormed()).replace(/[()]/g, (sign) => (sign === "(" ? "%28" : "%29"));

/** The link with another title. The folders before it, the heading and the words stay. */
function renamedLink(link: NoteLink, written: string, title: string): string | undefined {
  const name = link.target.slice(link.target.lastIndexOf("/") + 1);
  if (link.isWiki) {
    const start = written.lastIndexOf("/", written.search(/[#|]|\]\]/)) + 1;
    const at = written.indexOf(name, start);
    return at < 0 ? undefined : written.slice(0, at) + title + written.slice(at + name.length);
  }
  const [path = "", ...fragment] = written.split("#");
  const slash = path.lastIndexOf("/") + 1;
  const isOpen = path.startsWith("<");
  const renamed = `${path.slice(0, slash)}${slash === 0 && isOpen ? "<" : ""}${encoded(title)}.md`;
  const rest = fragment.length > 0 ? `#${fragment.join("#")}` : isOpen ? ">" : "";
  return renamed + rest;
}

/** A text that would grow by more stays as it is. */
const MAX_GROWTH = 100_000;

type Renaming = {
  from: string;
  to: string;
  /** The keys of the targets that lead to the renamed document. */
  keys: ReadonlySet<string>;
};

/** A text with the new title of a document in the links to it; undefined if nothing changes or a link would lead elsewhere. */
export function withRenamedLinks(text: string, { from, to, keys }: Renaming): string | undefined {
  if (UNWRITABLE.test(to)) return undefined;
  const key = linkKey(from);
  const links = noteLinksIn(text);
  const isTaken = links.some(
    ({ target }) => linkNameKey(target) === linkKey(to) && !keys.has(linkKey(target)),
  );
  if (isTaken) return undefined;
  const old = links.filter(({ target }) => linkNameKey(target) === key && keys.has(linkKey(target)));
  if (old.length * encoded(to).length > MAX_GROWTH) return undefined;
  let [at, changed] = [0, ""];
  for (const link of old) {
    const renamed = renamedLink(link, text.slice(link.start, link.end), to);
    if (renamed === undefined) continue;
    changed += text.slice(at, link.start) + renamed;
    at = link.end;
  }
  return at === 0 ? undefined : changed + text.slice(at);
}
