import { type FieldValues, frontMatterProperties } from "../../../../../src/shared/files/content.ts";
import type { Document } from "../../../api/documents.ts";
import { retryUntilAnswered } from "../../../api/retry.ts";
import { runWithToast } from "../../../state/run-with-toast.ts";
import { hasNoPendingChange, queueChange } from "../change-queue.ts";
import { Conflict, publishDocument, showOptimistically, updateFromBase } from "../data.ts";
import { hasAny, withSourceText, writingOf } from "../writing.ts";
import { applyPropertyChange, isSameValue, type PropertyChange } from "./change.ts";
import { changeFrontMatter, readFrontMatter } from "./front-matter.ts";
import { fieldText } from "./value.ts";

/** Where a property is stored: in the text's front matter, or beside the text, where an import puts front matter. */
export type PropertyLocation = "text" | "beside";

/** The content after a change. Throws Error if the property can only be changed by hand. */
function changedContent(
  { content }: Document,
  location: PropertyLocation,
  change: PropertyChange,
): FieldValues {
  const { kind, text } = writingOf(content);
  if (location === "text") return withSourceText(content, { kind, text: changeFrontMatter(text, change) });
  const { front_matter: _, ...rest } = withSourceText(content, { kind, text });
  const fields = applyPropertyChange(frontMatterProperties(content), change);
  return hasAny(fields) ? { ...rest, front_matter: fields } : rest;
}

function fieldsOf({ content }: Document, location: PropertyLocation): FieldValues {
  if (location === "beside") return frontMatterProperties(content);
  return readFrontMatter(writingOf(content).text)?.fields ?? {};
}

const changedElsewhere = (name: string) =>
  new Error(`“${name}” was changed elsewhere. Check it and try again`);

/** Throws Error if the property differs in a later version of the document. */
function assertUnchanged(
  document: Document,
  later: Document,
  location: PropertyLocation,
  change: PropertyChange,
): void {
  const [known, now] = [fieldsOf(document, location), fieldsOf(later, location)];
  if (!isSameValue(known[change.name], now[change.name])) throw changedElsewhere(change.name);
  if (change.kind === "rename" && Object.hasOwn(now, change.to))
    throw new Error(`“${change.to}” already exists. Check it and try again`);
}

function successMessage(change: PropertyChange): string {
  if (change.kind === "remove") return `“${change.name}” removed`;
  if (change.kind === "rename") return `“${change.name}” renamed to “${change.to}”`;
  const value = fieldText(change.value);
  return value ? `“${change.name}” set to ${value}` : `“${change.name}” cleared`;
}

/** Changes one property of a document: shown immediately, and reverted if saving fails. */
export const changeProperty = (
  document: Document,
  location: PropertyLocation,
  change: PropertyChange,
): Promise<boolean> =>
  runWithToast(async (changes) => {
    const { id, version } = document;
    const now = fieldText(fieldsOf(document, location)[change.name]);
    if (change.kind === "set" && now !== change.was) throw changedElsewhere(change.name);
    const rollBack = showOptimistically({ ...document, content: changedContent(document, location, change) });
    const saveOver = async (base: Document) => {
      assertUnchanged(document, base, location, change);
      return updateFromBase(base, { content: changedContent(base, location, change) }, { changes });
    };
    const written = await queueChange(id, (before) => {
      const latest = before && before.version > version ? before : document;
      return retryUntilAnswered(() =>
        saveOver(latest).catch((problem: unknown) => {
          if (problem instanceof Conflict) return saveOver(problem.theirs);
          throw problem;
        }),
      );
    }).catch((problem: unknown) => {
      rollBack();
      throw problem;
    });
    // While later changes are pending, this answer would hide them.
    if (hasNoPendingChange(id)) publishDocument(written);
    return successMessage(change);
  });
