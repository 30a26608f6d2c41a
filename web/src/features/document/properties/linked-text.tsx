import { type NoteLink, noteLinksIn, propertyTexts } from "../../../../../src/shared/markdown/note-links.ts";
import { NoteAnchor } from "../linked/note-anchor.tsx";

/** What precedes the address of a Markdown link. */
const WORDS = /!?\[([^[\]\n]{1,500})\]\([ \t]{0,3}$/;

type Place = Pick<NoteLink, "start" | "end" | "words">;

/** Where a whole link stands, and its words. */
function placeOf(text: string, { start, end, words, isWiki }: NoteLink): Place {
  const before = isWiki ? null : WORDS.exec(text.slice(Math.max(0, start - 600), start));
  if (!before) return words === undefined ? { start, end } : { start, end, words };
  return { start: start - before[0].length, end: text.indexOf(")", end) + 1 || end, words: before[1] ?? "" };
}

export const hasLinks = (value: unknown): boolean =>
  [...propertyTexts({ value })].some(([, text]) => noteLinksIn(text).length > 0);

/** The text of a property with its links to documents. */
export function LinkedText({ text }: { text: string }) {
  const links = noteLinksIn(text).map((link) => ({ ...link, ...placeOf(text, link) }));
  const rest = links.at(-1)?.end ?? 0;
  return (
    <>
      {links.map(({ start, target, heading, words }, place) => (
        <span key={start}>
          {text.slice(links[place - 1]?.end ?? 0, start)}
          <NoteAnchor target={target} heading={heading}>
            {words}
          </NoteAnchor>
        </span>
      ))}
      {text.slice(rest)}
    </>
  );
}
