import { type Fields, propertiesOf } from "../../../../../src/contract/files/content.ts";
import type { Document } from "../../../api/documents.ts";
import { untilAnswered } from "../../../api/persist.ts";
import { attempt } from "../../../state/attempt.ts";
import { Conflict, showAtOnce, showWritten, writeOver } from "../data.ts";
import { inTurn, isSettled } from "../in-turn.ts";
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

const changedElsewhere = (name: string) =>
  new Error(`“${name}” has been changed elsewhere: look at it again`);

/** Refuses a change of what is another in a later state of the document. Throws Error. */
function refuseOver(document: Document, later: Document, where: Where, change: Change): void {
  const [known, now] = [fieldsOf(document, where), fieldsOf(later, where)];
  if (!isSame(known[change.name], now[change.name])) throw changedElsewhere(change.name);
  if (change.kind === "rename" && Object.hasOwn(now, change.to))
    throw new Error(`There is “${change.to}” already: look at it again`);
}

type Asked = { document: Document; where: Where; change: Change; changes: string[] };

/** Writes the change over the latest state that is known, and over what somebody else has written. Throws ApiError, Error. */
async function put(latest: Document, { document, where, change, changes }: Asked): Promise<Document> {
  const over = (base: Document) => {
    refuseOver(document, base, where, change);
    return writeOver(base, { content: changedContent(base, where, change) }, { changes });
  };
  try {
    return await over(latest);
  } catch (problem) {
    if (problem instanceof Conflict) return over(problem.theirs);
    throw problem;
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
    const { id, version } = document;
    const now = fieldText(fieldsOf(document, where)[change.name]);
    if (change.kind === "set" && now !== change.was) throw changedElsewhere(change.name);
    const showBefore = showAtOnce({ ...document, content: changedContent(document, where, change) });
    const written = await inTurn(id, (before) => {
      const latest = before && before.version > version ? before : document;
      return untilAnswered(() => put(latest, { document, where, change, changes }));
    }).catch((problem: unknown) => {
      showBefore();
      throw problem;
    });
    // The answer to one of several does not show the others that follow it.
    if (isSettled(id)) showWritten(written);
    return wordsOf(change);
  });
