import type { DocumentListQuery } from "../../../src/contract/document.ts";
import { type DocumentListItem, type DocumentOperation, documentsApi } from "../api.ts";
import { cancelDocuments, refreshAroundDocuments, refreshDocuments } from "../state/queries.ts";
import { isApiError } from "../api/request.ts";
import { changePages } from "../state/change-pages.ts";
import { toast } from "./toasts.tsx";

// What can be done to one document or to many. Each tells what it did, and offers to take it back.

/** What must be known of a document to take a change back. */
export type Changeable = { id: string; title: string; folder_id: string | null; tags: string[] };

const AT_ONCE = 100;
const SIDE_BY_SIDE = 6;

type Refused = { id: string | undefined; detail: string };

async function sendSome(operations: DocumentOperation[]): Promise<Refused[]> {
  try {
    const { results } = await documentsApi.bulk({ operations });
    return results.flatMap(({ ok, id, detail = "was refused" }) => (ok ? [] : [{ id, detail }]));
  } catch (problem) {
    // Together they are too large: half of them may not be.
    if (!isApiError(problem, 413) || operations.length === 1) throw problem;
    const half = Math.ceil(operations.length / 2);
    return [...(await sendSome(operations.slice(0, half))), ...(await sendSome(operations.slice(half)))];
  }
}

/** Carries out any number of operations, a hundred at a time. Returns those that were refused. */
export async function sendOperations(operations: DocumentOperation[]): Promise<Refused[]> {
  const refused: Refused[] = [];
  for (let start = 0; start < operations.length; start += AT_ONCE) {
    refused.push(...(await sendSome(operations.slice(start, start + AT_ONCE))));
  }
  return refused;
}

/** Restores documents from the trash. */
export async function restoreAll(ids: readonly string[]): Promise<void> {
  for (let start = 0; start < ids.length; start += SIDE_BY_SIDE) {
    await Promise.all(ids.slice(start, start + SIDE_BY_SIDE).map((id) => documentsApi.restore(id)));
  }
}

/** Runs an action, shows its effect, and says why when it was refused. Returns whether it was carried out. */
export async function attempt(action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action();
    return true;
  } catch (problem) {
    toast({ kind: "refused", text: (problem as Error).message });
    return false;
  } finally {
    refreshDocuments();
  }
}

/** "“Packing list”", or "3 documents". */
export const namesOf = (documents: readonly Changeable[]) =>
  documents.length === 1 ? `“${documents[0]?.title}”` : `${documents.length} documents`;

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
  done: string;
  documents: readonly Changeable[];
  effect: Effect;
  operations: DocumentOperation[];
  undo: () => Promise<unknown>;
};

async function act({ done, documents, effect, operations, undo }: Step): Promise<boolean> {
  await cancelDocuments();
  showAtOnce(documents, effect);
  try {
    const refused = await sendOperations(operations);
    if (refused.length === operations.length) throw new Error(refused[0]?.detail);
    const but = refused.length > 0 ? `; ${refused.length} refused: ${refused[0]?.detail}` : "";
    toast({ text: done + but, undo: () => attempt(undo) });
    void (refused.length > 0 ? refreshDocuments() : refreshAroundDocuments());
    return true;
  } catch (problem) {
    toast({ kind: "refused", text: (problem as Error).message });
    void refreshDocuments();
    return false;
  }
}

export const moveDocuments = (
  documents: readonly Changeable[],
  folder: { id: string | null; name: string },
) => {
  const moved = documents.filter(({ folder_id }) => folder_id !== folder.id);
  if (moved.length === 0) return Promise.resolve(true);
  return act({
    done: `${namesOf(moved)} moved to ${folder.name}`,
    documents: moved,
    effect: (document) => ({ ...document, folder_id: folder.id }),
    operations: moved.map(({ id }) => ({ operation: "move", id, folder_id: folder.id })),
    undo: () => sendOperations(moved.map(({ id, folder_id }) => ({ operation: "move", id, folder_id }))),
  });
};

const tagging = (operation: "add_tags" | "remove_tags", tag: string) => (document: Changeable) => ({
  operation,
  id: document.id,
  tags: [tag],
});

export const tagDocuments = (documents: readonly Changeable[], tag: string) => {
  const untagged = documents.filter(({ tags }) => !tags.includes(tag));
  if (untagged.length === 0) return Promise.resolve(true);
  return act({
    done: `${namesOf(untagged)} tagged ${tag}`,
    documents: untagged,
    effect: (document) => ({ ...document, tags: [...document.tags, tag] }),
    operations: untagged.map(tagging("add_tags", tag)),
    undo: () => sendOperations(untagged.map(tagging("remove_tags", tag))),
  });
};

export const untagDocuments = (documents: readonly Changeable[], tag: string) => {
  const tagged = documents.filter(({ tags }) => tags.includes(tag));
  if (tagged.length === 0) return Promise.resolve(true);
  return act({
    done: `${tag} removed from ${namesOf(tagged)}`,
    documents: tagged,
    effect: (document) => ({ ...document, tags: document.tags.filter((other) => other !== tag) }),
    operations: tagged.map(tagging("remove_tags", tag)),
    undo: () => sendOperations(tagged.map(tagging("add_tags", tag))),
  });
};

export const trashDocuments = (documents: readonly Changeable[]) =>
  act({
    done: `${namesOf(documents)} moved to the trash`,
    documents,
    effect: () => undefined,
    operations: documents.map(({ id }) => ({ operation: "delete", id })),
    undo: () => restoreAll(documents.map(({ id }) => id)),
  });
