import { skipFrontMatter } from "./blocks.ts";
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

/** What YAML reads otherwise in quotation marks, and what it reads as it is without them. */
const ESCAPED = /["'\\]/;
const PLAIN = /^[\p{L}\p{M}\p{N} ._-]+$/u;

/** Whether a title can stand at this place of the front matter, which other programs read as YAML. */
const fitsFrontMatter = (text: string, at: number, title: string) =>
  /["']!?$/.test(text.slice(Math.max(0, at - 2), at)) ? !ESCAPED.test(title) : PLAIN.test(title);

/** A text that would grow by more stays as it is. */
const MAX_GROWTH = 100_000;

type Renaming = {
  from: string;
  to: string;
  /** The keys of the targets that lead to the renamed document. */
  keys: ReadonlySet<string>;
};

/** Whether all links of a text are still there: those renamed with the new name, the others as they were. */
function hasSameLinks(changed: string, links: readonly NoteLink[], renamed: ReadonlyMap<NoteLink, string>) {
  const after = noteLinksIn(changed);
  return (
    after.length === links.length &&
    links.every((link, place) => {
      const target = after[place]?.target ?? "";
      const name = renamed.get(link);
      return name === undefined ? target === link.target : linkNameKey(target) === name;
    })
  );
}

type LinkedText = { text: string; links: NoteLink[] };

/** The links of a text that get the new title. */
function oldLinks({ text, links }: LinkedText, { from, to, keys }: Renaming): NoteLink[] {
  const bodyStart = skipFrontMatter(text);
  return links.filter(
    ({ target, start }) =>
      linkNameKey(target) === linkKey(from) &&
      keys.has(linkKey(target)) &&
      (start >= bodyStart || fitsFrontMatter(text, start, to)),
  );
}

function renamedText({ text, links }: LinkedText, old: readonly NoteLink[], to: string): string | undefined {
  const renamed = new Map<NoteLink, string>();
  let [at, changed] = [0, ""];
  for (const link of old) {
    const written = renamedLink(link, text.slice(link.start, link.end), to);
    if (written === undefined) continue;
    renamed.set(link, linkKey(to));
    changed += text.slice(at, link.start) + written;
    at = link.end;
  }
  if (renamed.size === 0) return undefined;
  changed += text.slice(at);
  return hasSameLinks(changed, links, renamed) ? changed : undefined;
}

/**
 * The texts of a document with the new title of another one in the links to it; undefined if nothing changes or a link would
 * lead elsewhere.
 */
export function withRenamedLinks(texts: readonly string[], renaming: Renaming): string[] | undefined {
  const { to, keys } = renaming;
  if (UNWRITABLE.test(to)) return undefined;
  const linked = texts.map((text) => ({ text, links: noteLinksIn(text) }));
  const isTaken = linked.some(({ links }) =>
    links.some(({ target }) => linkNameKey(target) === linkKey(to) && !keys.has(linkKey(target))),
  );
  if (isTaken) return undefined;
  const old = linked.map((one) => oldLinks(one, renaming));
  if (old.flat().length * encoded(to).length > MAX_GROWTH) return undefined;
  const renamed = linked.map((one, place) => renamedText(one, old[place] ?? [], to));
  return renamed.some((text) => text !== undefined)
    ? renamed.map((text, place) => text ?? texts[place] ?? "")
    : undefined;
}
