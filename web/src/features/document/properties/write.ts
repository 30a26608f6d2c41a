import { type Fields, propertiesOf } from "../../../../../src/contract/files/content.ts";
import type { Document } from "../../../api/documents.ts";
import { untilAnswered } from "../../../api/persist.ts";
import { attempt } from "../../../state/attempt.ts";
import { Conflict, showAtOnce, showWritten, writeOver } from "../data.ts";
import { contentWith, writingOf } from "../writing.ts";
import { type Change, changedFields, isSame } from "./change.ts";
import { changedText, readFrontMatter } from "./front-matter.ts";
import { fieldText } from "./value.ts";

/** Where a property is: in the text itself, or beside it, where an import puts front matter. */
export type Where = "text" | "beside";

type Content = Record<string, unknown>;

/** The content after a change. Throws Error if that cannot be written in the text. */
function changedContent({ content }: Document, where: Where, change: Change): Content {
  const { kind, text } = writingOf(content);
  if (where === "text") return contentWith(content, { kind, text: changedText(text, change) });
  const { front_matter: _, ...rest } = contentWith(content, { kind, text });
  const fields = changedFields(propertiesOf(content), change);
  return Object.keys(fields).length > 0 ? { ...rest, front_matter: fields } : rest;
}

function fieldsOf({ content }: Document, where: Where): Fields {
  if (where === "beside") return propertiesOf(content);
  return readFrontMatter(writingOf(content).text)?.fields ?? {};
}

/** Writes the change; where somebody else has changed the rest of the document, there. Throws ApiError, Error. */
async function put(document: Document, where: Where, change: Change, changes: string[]): Promise<Document> {
  try {
    return await writeOver(document, { content: changedContent(document, where, change) }, { changes });
  } catch (problem) {
    if (!(problem instanceof Conflict)) throw problem;
    const { theirs } = problem;
    const valueIn = (one: Document) => fieldsOf(one, where)[change.name];
    if (!isSame(valueIn(document), valueIn(theirs)))
      throw new Error(`“${change.name}” has been changed elsewhere: look at it again`);
    return writeOver(theirs, { content: changedContent(theirs, where, change) }, { changes });
  }
}

function wordsOf(change: Change): string {
  if (change.kind === "remove") return `“${change.name}” removed`;
  if (change.kind === "rename") return `“${change.name}” is “${change.to}” now`;
  const value = fieldText(change.value);
  return value ? `“${change.name}” is ${value} now` : `“${change.name}” is empty now`;
}

/** Changes one property of a document: shown at once, and taken back if it is refused. */
export const changeProperty = (document: Document, where: Where, change: Change): Promise<boolean> =>
  attempt(async (changes) => {
    showAtOnce({ ...document, content: changedContent(document, where, change) });
    showWritten(await untilAnswered(() => put(document, where, change, changes)));
    return wordsOf(change);
  });
