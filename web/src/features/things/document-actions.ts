import type { DocumentListQuery } from "../../../../src/contract/document.ts";
import { type DocumentListItem, type DocumentOperation, documentsApi } from "../../api/documents.ts";
import { isApiError } from "../../api/request.ts";
import { titleText } from "../../kit/title-text.ts";
import { inSteps } from "../../state/bulk-progress.ts";
import { changePages } from "../../state/change-pages.ts";
import { cancelDocuments, refreshAroundDocuments, refreshDocuments } from "../../state/queries.ts";
import { begin } from "../../state/toasts.ts";
import { type Changes, undoOf } from "../../state/undo.ts";
import { PINNED, pinOf } from "./pinned.ts";

// What can be done to one document or to many. Each tells what it did, and offers to take it back.

/** What must be known of a document to take a change back. */
export type Changeable = { id: string; title: string; folder_id: string | null; tags: string[] };

const AT_ONCE = 100;

type Refused = { id: string | undefined; detail: string };

async function sendSome(operations: DocumentOperation[], changes: Changes): Promise<Refused[]> {
  try {
    const { results } = await documentsApi.bulk({ operations }, { changes });
    return results.flatMap(({ ok, id, detail = "was refused" }) => (ok ? [] : [{ id, detail }]));
  } catch (problem) {
    // Together they are too large: half of them may not be.
    if (!isApiError(problem, 413) || operations.length === 1) throw problem;
    const half = Math.ceil(operations.length / 2);
    const first = await sendSome(operations.slice(0, half), changes);
    return [...first, ...(await sendSome(operations.slice(half), changes))];
  }
}

/**
 * Carries out any number of operations, a hundred at a time.
 *
 * @param refused gets those that were refused
 * @param changes gets the names of what was changed
 * @returns how many have been sent, and the problem that ended it before all were
 */
async function sendAll(
  operations: DocumentOperation[],
  refused: Refused[],
  changes: Changes,
): Promise<{ sent: number; problem?: Error }> {
  let sent = 0;
  try {
    await inSteps(operations, AT_ONCE, async (some) => {
      refused.push(...(await sendSome(some, changes)));
      sent += some.length;
    });
    return { sent };
  } catch (problem) {
    return { sent, problem: problem as Error };
  }
}

/** "“Packing list”", or "3 documents". */
export const namesOf = (documents: readonly Changeable[]) =>
  documents.length === 1
    ? `“${titleText(documents[0]?.title ?? "")}”`
    : `${documents.length.toLocaleString("en-GB")} documents`;

type Effect = (document: DocumentListItem) => DocumentListItem | undefined;

type ListQuery = Pick<DocumentListQuery, "folder_id" | "tag">;

/** Whether a document is among those that a list shows. */
const fits = ({ folder_id = "any", tag = [] }: ListQuery, document: DocumentListItem): boolean =>
  (folder_id === "any" || folder_id === (document.folder_id ?? "none")) &&
  tag.every((one) => document.tags.includes(one));

/** Shows in every list, before the answer is there, what becomes of some documents. Undefined: they leave it. */
function showAtOnce(documents: readonly Changeable[], effect: Effect): void {
  const ids = new Set(documents.map(({ id }) => id));
  const after = (item: DocumentListItem, query: ListQuery) => {
    const changed = ids.has(item.id) ? effect(item) : item;
    return changed && fits(query, changed) ? [changed] : [];
  };
  changePages<DocumentListItem, ListQuery>(["documents", "list"], after);
}

type Step = {
  /** What was done, of these documents. */
  done: (names: string) => string;
  documents: readonly Changeable[];
  effect: Effect;
  operation: (document: Changeable) => DocumentOperation;
};

const countOf = (count: number) => count.toLocaleString("en-GB");

/** "; 2 refused: …", or how far it came before it was interrupted. */
function butOf(refused: Refused[], sent: number, total: number, problem: Error | undefined): string {
  if (problem)
    return `; interrupted after ${countOf(sent)} of ${countOf(total)}: ${problem.message}. The others are unchanged, and can be selected again`;
  return refused.length > 0 ? `; ${refused.length} refused: ${refused[0]?.detail}` : "";
}

async function act({ done, documents, effect, operation }: Step): Promise<boolean> {
  const step = begin();
  const changes: Changes = [];
  await cancelDocuments();
  showAtOnce(documents, effect);
  const refused: Refused[] = [];
  const { sent, problem } = await sendAll(documents.map(operation), refused, changes);
  // Lists that are read page by page are out of step with what lies beyond their pages.
  const isPart = problem || refused.length > 0 || documents.length > AT_ONCE;
  void (isPart ? refreshDocuments() : refreshAroundDocuments());
  const not = new Set(refused.map(({ id }) => id));
  const changed = documents.slice(0, sent).filter(({ id }) => !not.has(id));
  if (changed.length === 0) {
    step.end({ kind: "refused", text: problem?.message ?? refused[0]?.detail ?? "Nothing was changed" });
    return false;
  }
  const text = done(namesOf(changed)) + butOf(refused, sent, documents.length, problem);
  step.end({ text, ...undoOf(changes), ...(problem && { kind: "refused" }) });
  return !problem;
}

export const moveDocuments = (
  documents: readonly Changeable[],
  folder: { id: string | null; name: string },
) => {
  const moved = documents.filter(({ folder_id }) => folder_id !== folder.id);
  if (moved.length === 0) return Promise.resolve(true);
  return act({
    done: (names) => `${names} moved to ${folder.name}`,
    documents: moved,
    effect: (document) => ({ ...document, folder_id: folder.id }),
    operation: ({ id }) => ({ operation: "move", id, folder_id: folder.id }),
  });
};

const tagging =
  (operation: "add_tags" | "remove_tags", tag: string) =>
  ({ id }: Changeable) => ({ operation, id, tags: [tag] });

type Done = Step["done"];

export const tagDocuments = (
  documents: readonly Changeable[],
  tag: string,
  done: Done = (names) => `${names} tagged ${tag}`,
) => {
  const untagged = documents.filter(({ tags }) => !tags.includes(tag));
  if (untagged.length === 0) return Promise.resolve(true);
  return act({
    done,
    documents: untagged,
    effect: (document) => ({ ...document, tags: [...document.tags, tag] }),
    operation: tagging("add_tags", tag),
  });
};

export const untagDocuments = (
  documents: readonly Changeable[],
  tag: string,
  done: Done = (names) => `${tag} removed from ${names}`,
) => {
  const tagged = documents.filter(({ tags }) => tags.includes(tag));
  if (tagged.length === 0) return Promise.resolve(true);
  return act({
    done,
    documents: tagged,
    effect: (document) => ({ ...document, tags: document.tags.filter((other) => other !== tag) }),
    operation: tagging("remove_tags", tag),
  });
};

/** Pins a document to the top of all lists, or no longer. */
export function togglePin(document: Changeable): Promise<boolean> {
  const tag = pinOf(document);
  return tag === undefined
    ? tagDocuments([document], PINNED, (names) => `${names} pinned`)
    : untagDocuments([document], tag, (names) => `${names} no longer pinned`);
}

export const trashDocuments = (documents: readonly Changeable[]) =>
  act({
    done: (names) => `${names} moved to the trash`,
    documents,
    effect: () => undefined,
    operation: ({ id }) => ({ operation: "delete", id }),
  });
