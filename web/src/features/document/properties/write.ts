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

/** Where a property is stored: in the text's front matter, or beside the text, where an import puts front matter. */
export type Where = "text" | "beside";

type Content = Record<string, unknown>;

/** The content after a change. Throws Error if the property can only be changed by hand. */
function changedContent({ content }: Document, location: Where, change: Change): Content {
  const { kind, text } = writingOf(content);
  if (location === "text") return contentWith(content, { kind, text: changedText(text, change) });
  const { front_matter: _, ...rest } = contentWith(content, { kind, text });
  const fields = changedFields(propertiesOf(content), change);
  return Object.keys(fields).length > 0 ? { ...rest, front_matter: fields } : rest;
}

function fieldsOf({ content }: Document, location: Where): Fields {
  if (location === "beside") return propertiesOf(content);
  return readFrontMatter(writingOf(content).text)?.fields ?? {};
}

const changedElsewhere = (name: string) =>
  new Error(`“${name}” was changed elsewhere. Check it and try again`);

/** Throws Error if the property differs in a later version of the document. */
function assertUnchanged(document: Document, later: Document, location: Where, change: Change): void {
  const [known, now] = [fieldsOf(document, location), fieldsOf(later, location)];
  if (!isSame(known[change.name], now[change.name])) throw changedElsewhere(change.name);
  if (change.kind === "rename" && Object.hasOwn(now, change.to))
    throw new Error(`“${change.to}” already exists. Check it and try again`);
}

type ChangeRequest = { document: Document; location: Where; change: Change; changes: string[] };

/** Saves the change over the newest known version, or over a newer one from elsewhere. Throws ApiError, Error. */
async function save(
  latest: Document,
  { document, location, change, changes }: ChangeRequest,
): Promise<Document> {
  const saveOver = (base: Document) => {
    assertUnchanged(document, base, location, change);
    return writeOver(base, { content: changedContent(base, location, change) }, { changes });
  };
  try {
    return await saveOver(latest);
  } catch (problem) {
    if (problem instanceof Conflict) return saveOver(problem.theirs);
    throw problem;
  }
}

function successMessage(change: Change): string {
  if (change.kind === "remove") return `“${change.name}” removed`;
  if (change.kind === "rename") return `“${change.name}” renamed to “${change.to}”`;
  const value = fieldText(change.value);
  return value ? `“${change.name}” set to ${value}` : `“${change.name}” cleared`;
}

/** Changes one property of a document: shown immediately, and reverted if saving fails. */
export const changeProperty = (document: Document, location: Where, change: Change): Promise<boolean> =>
  attempt(async (changes) => {
    const { id, version } = document;
    const now = fieldText(fieldsOf(document, location)[change.name]);
    if (change.kind === "set" && now !== change.was) throw changedElsewhere(change.name);
    const rollBack = showAtOnce({ ...document, content: changedContent(document, location, change) });
    const written = await inTurn(id, (before) => {
      const latest = before && before.version > version ? before : document;
      return untilAnswered(() => save(latest, { document, location, change, changes }));
    }).catch((problem: unknown) => {
      rollBack();
      throw problem;
    });
    // While later changes are pending, this answer would hide them.
    if (isSettled(id)) showWritten(written);
    return successMessage(change);
  });
