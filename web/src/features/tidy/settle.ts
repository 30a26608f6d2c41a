import { findingKey, type TidyAction } from "../../../../src/contract/tidy-kinds.ts";
import { documentsApi } from "../../api/documents.ts";
import { type Memory, type MemoryOperation, memoriesApi } from "../../api/memories.ts";
import { isTransientError } from "../../api/request.ts";
import { type Finding, type TidyItem, tidyApi } from "../../api/tidy.ts";
import { refreshMemories, refreshResources } from "../../state/queries.ts";
import { runWithToast } from "../../state/run-with-toast.ts";
import { toast } from "../../state/toasts.ts";
import type { ChangeIds } from "../../state/undo.ts";

// The actions that settle a finding: ordinary operations on records and documents, which can be undone.

/** `last`: the item that most actions change. */
type SettleRequest = { finding: Finding; last: TidyItem; changes: ChangeIds };

/** Throws the reason of the first operation that was refused. */
function assertAllOk(results: readonly { ok: boolean; detail?: string | undefined }[]): void {
  const refused = results.find(({ ok }) => !ok);
  if (refused) throw new Error(refused.detail);
}

async function changeRecords(operations: MemoryOperation[], changes: ChangeIds) {
  const { results } = await memoriesApi.bulk(operations, { changes });
  assertAllOk(results);
  return results;
}

const trashDocuments = async (items: readonly TidyItem[], changes: ChangeIds) => {
  const operations = items.map(({ id }) => ({ operation: "delete" as const, id }));
  assertAllOk((await documentsApi.bulk({ operations }, { changes })).results);
};

const recordId = ({ id }: TidyItem) => Number(id);
const mergedTags = (items: readonly TidyItem[]) =>
  [...new Set(items.flatMap(({ tags }) => tags))].slice(0, 50);

/** Keeps the first record, with the tags of all and, if it has no due date, that of another. */
async function mergeRecords([first, ...others]: readonly TidyItem[], changes: ChangeIds): Promise<string> {
  if (!first) return "";
  const tags = mergedTags([first, ...others]);
  const due_date = first.due_date ?? others.find((item) => item.due_date !== null)?.due_date ?? null;
  const fields = {
    ...(tags.length > first.tags.length && { tags }),
    ...(due_date !== first.due_date && { due_date }),
  };
  const update =
    Object.keys(fields).length > 0 ? [{ operation: "update" as const, id: recordId(first), ...fields }] : [];
  const note = `Merged into #${first.id}`;
  const archive = others.map((item) => ({ operation: "archive" as const, id: recordId(item), note }));
  await changeRecords([...update, ...archive], changes);
  return `Merged into “${first.title}”`;
}

async function mergeDocuments([first, ...others]: readonly TidyItem[], changes: ChangeIds): Promise<string> {
  if (!first) return "";
  const tags = mergedTags([first, ...others]);
  const add = tags.length > first.tags.length ? [{ operation: "add_tags" as const, id: first.id, tags }] : [];
  if (add.length > 0) assertAllOk((await documentsApi.bulk({ operations: add }, { changes })).results);
  await trashDocuments(others, changes);
  return `Kept “${first.title}” and moved ${others.length === 1 ? "the other one" : `${others.length} others`} to the trash`;
}

type Replacement = Required<Parameters<typeof memoriesApi.supersede>[1]>;

/** All that can be given when a record is created. */
function replacementBy(memory: Memory): Replacement {
  const { memory_type, topic, content, scope, project, tags, document_id, priority, owed } = memory;
  const { due_date, due_time, remind, remind_until_done, repeat, repeat_from, happened_on } = memory;
  return {
    ...{ memory_type, topic, content, scope, project, tags, document_id, priority, owed },
    ...{ due_date, due_time, remind, remind_until_done, repeat, repeat_from, happened_on },
  };
}

/** Replaces the earlier record with the later one, and archives the later one. */
async function supersede(later: TidyItem, earlier: TidyItem, changes: ChangeIds): Promise<string> {
  const fields = replacementBy(await memoriesApi.get(recordId(later)));
  const operation = { operation: "supersede" as const, id: recordId(earlier), ...fields };
  const [created] = await changeRecords([operation], changes);
  const note = `Merged into #${created?.id}`;
  await changeRecords([{ operation: "archive", id: recordId(later), note }], changes);
  return `“${later.title}” replaces the earlier record`;
}

/** The actions that cannot be undone and are confirmed first. */
export type EraseAction = "erase" | "erase_versions";
export const isEraseAction = (action: TidyAction | "keep"): action is EraseAction =>
  action === "erase" || action === "erase_versions";

const SETTLE: Record<Exclude<TidyAction, "rename">, (request: SettleRequest) => Promise<string>> = {
  merge: ({ finding: { items }, changes }) =>
    (items[0]?.type === "document" ? mergeDocuments : mergeRecords)(items, changes),
  supersede: ({ finding: { items }, last, changes }) => supersede(items[0] as TidyItem, last, changes),
  archive: async ({ last, changes }) => {
    await changeRecords([{ operation: "archive", id: recordId(last) }], changes);
    return `“${last.title}” archived`;
  },
  resolve: async ({ last, changes }) => {
    await changeRecords([{ operation: "resolve", id: recordId(last) }], changes);
    return `“${last.title}” resolved`;
  },
  delete: async ({ last, changes }) => {
    if (last.type === "document") await trashDocuments([last], changes);
    else await changeRecords([{ operation: "delete", id: recordId(last) }], changes);
    return `“${last.title}” moved to the trash`;
  },
  erase: async ({ last }) => {
    if (last.type === "document") await documentsApi.remove(last.id, true);
    else await memoriesApi.remove(recordId(last), true);
    return `“${last.title}” permanently deleted`;
  },
  erase_versions: async ({ finding: { versions = [] }, last }) => {
    for (const version of versions)
      if (last.type === "document") await documentsApi.eraseVersion(last.id, version);
      else await memoriesApi.eraseVersion(recordId(last), version);
    return `${versions.length === 1 ? "1 version" : `${versions.length} versions`} of “${last.title}” permanently deleted`;
  },
};

export const findingId = ({ kind, items }: Finding) => `${kind} ${findingKey(items)}`;

const MAX_PAGE = 100;

/** Whether the service still has a finding, which may have moved to a page that is not loaded. Throws ApiError. */
async function isStillListed(finding: Finding): Promise<boolean> {
  for (let offset = 0, total = 1; offset < total; offset += MAX_PAGE) {
    const page = await tidyApi.list({ kind: finding.kind, limit: MAX_PAGE, offset });
    if (page.items.some((one) => findingId(one) === findingId(finding))) return true;
    total = page.total;
  }
  await refreshResources("tidy");
  return false;
}

const SETTLED = "Already changed elsewhere, so nothing was done";

/** A finding that another tab or program has settled is taken away, and the user told why. */
const attemptAndRefresh = (
  finding: Finding,
  action: (changes: ChangeIds) => Promise<string>,
): Promise<boolean> =>
  runWithToast(async (changes) => {
    // Otherwise a record could be archived in favor of one that is gone.
    if (finding.items.length > 1 && !(await isStillListed(finding))) return SETTLED;
    try {
      return await action(changes);
    } catch (problem) {
      if (isTransientError(problem) || changes.length > 0 || (await isStillListed(finding))) throw problem;
      return SETTLED;
    }
  }).finally(() => void refreshMemories());

/** Settles a finding. Returns whether it succeeded. */
export const settleFinding = (finding: Finding, action: Exclude<TidyAction, "rename">): Promise<boolean> =>
  attemptAndRefresh(finding, (changes) =>
    SETTLE[action]({ finding, last: finding.items.at(-1) as TidyItem, changes }),
  );

export const renameRecord = (finding: Finding, topic: string): Promise<boolean> =>
  attemptAndRefresh(finding, async (changes) => {
    const [item] = finding.items;
    if (item) await memoriesApi.update(recordId(item), { topic }, { changes });
    return `Renamed to “${topic}”`;
  });

/** Whether the items of a finding are kept as they are, so that it is not shown again. Throws ApiError. */
export async function setKept({ kind, items }: Finding, keep: boolean): Promise<void> {
  await tidyApi.keep({ kind, items: items.map(({ type, id }) => ({ type, id })), keep });
  await refreshResources("tidy");
}

/** Keeps a finding, with a toast. Returns whether it succeeded. */
export async function keepFinding(finding: Finding): Promise<boolean> {
  try {
    await setKept(finding, true);
    toast({ text: "Kept. It won’t come up again.", undo: () => void setKept(finding, false) });
    return true;
  } catch (problem) {
    toast({ kind: "refused", text: (problem as Error).message });
    return false;
  }
}
