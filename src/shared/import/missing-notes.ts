import { aliasesIn } from "../files/aliases.ts";
import { extraFields, frontMatterProperties } from "../files/content.ts";
import {
  linkedId,
  linkNameKey,
  mayHaveLinks,
  type NoteLink,
  noteLinksIn,
  propertyTexts,
} from "../markdown/note-links.ts";
import { FILE_EXTENSION } from "./file-finder.ts";
import type { FoundEntry, ImportItem } from "./item.ts";
import { defaultTitle } from "./paths.ts";

const MAX_NAMED = 5;

const isNote = (one: FoundEntry): one is ImportItem => "content" in one;

const namesOf = ({ title, path, content }: ImportItem): string[] => [
  title,
  defaultTitle(path),
  ...aliasesIn({ ...extraFields(content), ...frontMatterProperties(content) }),
];

function linksWithin({ content }: ImportItem): NoteLink[] {
  const { format, text } = content;
  if (format !== "markdown" || typeof text !== "string") return [];
  const texts = [text, ...[...propertyTexts(frontMatterProperties(content))].map(([, value]) => value)];
  return texts
    .flatMap((one) => (mayHaveLinks(one) ? noteLinksIn(one) : []))
    .filter(({ target }) => linkedId(target) === undefined && !FILE_EXTENSION.test(target));
}

function missingNote(links: number, otherFiles: number, names: readonly string[]): string {
  const more = names.length > MAX_NAMED ? ` and ${(names.length - MAX_NAMED).toLocaleString("en")} more` : "";
  const others = `${otherFiles.toLocaleString("en")} other ${otherFiles === 1 ? "file" : "files"}`;
  const within = otherFiles > 0 ? ` in this and ${others}` : "";
  return (
    `${links === 1 ? "1 link leads" : `${links.toLocaleString("en")} links${within} lead`} to notes that aren’t here: ` +
    `${names.slice(0, MAX_NAMED).join(", ")}${more}. They work as soon as there is a document of that name`
  );
}

/** Adds a note about links between notes that lead nowhere, to the first one that has some. */
export function noteMissingNotes(found: readonly FoundEntry[]): void {
  const items = found.filter(isNote);
  const known = new Set(items.flatMap(namesOf).map(linkNameKey));
  const missing = items.flatMap((item) =>
    linksWithin(item)
      .filter(({ target }) => !known.has(linkNameKey(target)))
      .map(({ target }) => ({ item, target })),
  );
  const names = new Map(missing.map(({ target }) => [linkNameKey(target), target]));
  const files = new Set(missing.map(({ item }) => item)).size;
  missing[0]?.item.notes.push(missingNote(missing.length, files - 1, [...names.values()]));
}
