import type { TidyAction } from "../../../../src/contract/tidy/kinds.ts";
import { documentsApi } from "../../api/documents.ts";
import { type MemoryOperation, memoriesApi } from "../../api/memories.ts";
import { type Finding, type TidyItem, tidyApi } from "../../api/tidy.ts";
import { attempt } from "../../state/attempt.ts";
import { refresh, refreshMemories } from "../../state/queries.ts";
import { toast } from "../../state/toasts.ts";
import type { Changes } from "../../state/undo.ts";

// What settles a finding: operations of records and documents, which are taken back as everything else is.

type Settled = { finding: Finding; changes: Changes };

/** Throws the reason of the first that was refused. */
function mustAll(results: readonly { ok: boolean; detail?: string | undefined }[]): void {
  const refused = results.find(({ ok }) => !ok);
  if (refused) throw new Error(refused.detail);
}

async function changeRecords(operations: MemoryOperation[], changes: Changes) {
  const { results } = await memoriesApi.bulk(operations, { changes });
  mustAll(results);
  return results;
}

const trashDocuments = async (items: readonly TidyItem[], changes: Changes) => {
  const operations = items.map(({ id }) => ({ operation: "delete" as const, id }));
  mustAll((await documentsApi.bulk({ operations }, { changes })).results);
};

const numberOf = ({ id }: TidyItem) => Number(id);
const tagsOf = (items: readonly TidyItem[]) => [...new Set(items.flatMap(({ tags }) => tags))].slice(0, 50);

/** The first one stays, with the tags of all and a day by which it is due, if another one had that. */
async function mergeRecords([first, ...others]: readonly TidyItem[], changes: Changes): Promise<string> {
  if (!first) return "";
  const tags = tagsOf([first, ...others]);
  const due_date = first.due_date ?? others.find((item) => item.due_date !== null)?.due_date ?? null;
  const more = {
    ...(tags.length > first.tags.length && { tags }),
    ...(due_date !== first.due_date && { due_date }),
  };
  const update =
    Object.keys(more).length > 0 ? [{ operation: "update" as const, id: numberOf(first), ...more }] : [];
  const note = `Merged into #${first.id}`;
  const archive = others.map((item) => ({ operation: "archive" as const, id: numberOf(item), note }));
  await changeRecords([...update, ...archive], changes);
  return `Merged into “${first.title}”`;
}

async function mergeDocuments([first, ...others]: readonly TidyItem[], changes: Changes): Promise<string> {
  if (!first) return "";
  const tags = tagsOf([first, ...others]);
  const add = tags.length > first.tags.length ? [{ operation: "add_tags" as const, id: first.id, tags }] : [];
  if (add.length > 0) mustAll((await documentsApi.bulk({ operations: add }, { changes })).results);
  await trashDocuments(others, changes);
  return `“${first.title}” stays, ${others.length === 1 ? "the other one is" : `${others.length} others are`} in the trash`;
}

/** The earlier one is replaced by what the later one says, and the later one is archived, so that it is said once. */
async function supersede(later: TidyItem, earlier: TidyItem, changes: Changes): Promise<string> {
  const { memory_type, topic, content, scope, project, tags, due_date, document_id } = await memoriesApi.get(
    numberOf(later),
  );
  const said = { memory_type, topic, content, scope, project, tags, due_date, document_id };
  const [made] = await changeRecords([{ operation: "supersede", id: numberOf(earlier), ...said }], changes);
  const note = `Merged into #${made?.id}`;
  await changeRecords([{ operation: "archive", id: numberOf(later), note }], changes);
  return `“${later.title}” replaces what was said before`;
}

/** What cannot be taken back is asked about first. */
export type Erasing = "erase" | "erase_versions";
export const isErasing = (action: TidyAction | "keep"): action is Erasing =>
  action === "erase" || action === "erase_versions";

async function eraseVersions({ items, versions = [] }: Finding): Promise<string> {
  const last = items.at(-1) as TidyItem;
  for (const version of versions)
    if (last.type === "document") await documentsApi.eraseVersion(last.id, version);
    else await memoriesApi.eraseVersion(numberOf(last), version);
  return `${versions.length === 1 ? "1 version" : `${versions.length} versions`} of “${last.title}” erased`;
}

async function eraseThing({ items }: Finding): Promise<string> {
  const last = items.at(-1) as TidyItem;
  if (last.type === "document") await documentsApi.remove(last.id, true);
  else await memoriesApi.remove(numberOf(last), true);
  return `“${last.title}” erased`;
}

const SETTLE: Record<Exclude<TidyAction, "rename">, (settled: Settled) => Promise<string>> = {
  merge: ({ finding: { items }, changes }) =>
    (items[0]?.type === "document" ? mergeDocuments : mergeRecords)(items, changes),
  supersede: ({ finding: { items }, changes }) =>
    supersede(items[0] as TidyItem, items.at(-1) as TidyItem, changes),
  archive: async ({ finding: { items }, changes }) => {
    const last = items.at(-1) as TidyItem;
    await changeRecords([{ operation: "archive", id: numberOf(last) }], changes);
    return `“${last.title}” archived`;
  },
  resolve: async ({ finding: { items }, changes }) => {
    const last = items.at(-1) as TidyItem;
    await changeRecords([{ operation: "resolve", id: numberOf(last) }], changes);
    return `“${last.title}” resolved`;
  },
  delete: async ({ finding: { items }, changes }) => {
    const last = items.at(-1) as TidyItem;
    if (last.type === "document") await trashDocuments([last], changes);
    else await changeRecords([{ operation: "delete", id: numberOf(last) }], changes);
    return `“${last.title}” is in the trash`;
  },
  erase: ({ finding }) => eraseThing(finding),
  erase_versions: ({ finding }) => eraseVersions(finding),
};

const settled = (action: (changes: Changes) => Promise<string>): Promise<boolean> =>
  attempt(action).finally(() => void refreshMemories());

/** Settles a finding; returns whether that was carried out. */
export const settle = (finding: Finding, action: Exclude<TidyAction, "rename">): Promise<boolean> =>
  settled((changes) => SETTLE[action]({ finding, changes }));

export const rename = ({ items: [item] }: Finding, topic: string): Promise<boolean> =>
  settled(async (changes) => {
    if (item) await memoriesApi.update(numberOf(item), { topic }, { changes });
    return `Now “${topic}”`;
  });

/** Keeps a finding as it is. */
export async function keep({ kind, items }: Finding): Promise<boolean> {
  const named = { kind, items: items.map(({ type, id }) => ({ type, id })) };
  const set = async (isKept: boolean) => {
    await tidyApi.keep({ ...named, keep: isKept });
    await refresh("tidy");
  };
  try {
    await set(true);
    toast({ text: "Kept, and not asked about again", undo: () => void set(false) });
    return true;
  } catch (problem) {
    toast({ kind: "refused", text: (problem as Error).message });
    return false;
  }
}
