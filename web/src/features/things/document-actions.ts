import { keptAccount } from "../../api/holder.ts";
import { randomId } from "../../api/random-id.ts";
import { isPassing } from "../../api/request.ts";
import { titleText } from "../../kit/title-text.ts";
import { knownMe, queries } from "../../state/queries.ts";
import { hasTag } from "../../state/tags.ts";
import { begin, type Toast, toast } from "../../state/toasts.ts";
import { takeBack } from "../../state/undo.ts";
import {
  beginStep,
  type Change,
  type Changeable,
  changesNow,
  keepChanges,
  type WaitingChange,
} from "../../state/waiting-changes.ts";
import { pinOf } from "./pinned.ts";
import { PINNED } from "./pinned-query.ts";
import { AT_ONCE, listen, type Outcome, sendChanges, withdraw } from "./send-changes.ts";

// What can be done to one document or to many. Each tells what it did, and offers to take it back. Without a network it is
// kept in this browser and shown as done.

export type { Changeable };

const countOf = (count: number) => count.toLocaleString("en-GB");

/** "“Packing list”", or "3 documents". */
export const namesOf = (documents: readonly Pick<Changeable, "title">[]) =>
  documents.length === 1
    ? `“${titleText(documents[0]?.title ?? "")}”`
    : `${countOf(documents.length)} documents`;

const leftOf = (step: string) => changesNow().filter((one) => one.step === step);

const ELSEWHERE = "Not undone: another tab has sent it. Activity has it";

/** Takes back a step: what is kept here is forgotten, and what the service has is undone. */
async function undoStep(step: string, { changes }: Outcome): Promise<void> {
  const left = leftOf(step);
  await withdraw(left);
  if (changes.length > 0) await takeBack(changes);
  else if (left.length === 0) toast({ kind: "refused", text: ELSEWHERE });
}

/** The text that is written on may be in there: a list does not need it. */
const summaryOf = <Item extends Changeable>(item: Item): Changeable => {
  const { content: _, ...summary } = item as Item & { content?: unknown };
  return summary;
};

/** The trash is based on the text that this tab knows: a list may be older than what was written here. */
function basedOn(change: Change, item: Changeable): Changeable {
  const known = queries.getQueryData<Changeable>(["documents", "one", item.id]);
  const isNewer = change.kind === "trash" && known && known.version > item.version;
  return isNewer ? { ...item, version: known.version } : item;
}

/** Keeps a change of any number of documents, a hundred in each part. */
async function keep(step: string, change: Change, documents: readonly Changeable[]): Promise<void> {
  const account = keptAccount() ?? (await knownMe()).id;
  const parts: WaitingChange[] = [];
  const first = Math.max(Date.now(), (changesNow().at(-1)?.at ?? 0) + 1);
  // A new name is based on the one that is shown; what else is done at once is as good as what is done elsewhere just now.
  const isGuarded = !navigator.onLine || change.kind === "rename";
  for (let start = 0; start < documents.length; start += AT_ONCE) {
    const some = documents.slice(start, start + AT_ONCE).map((one) => basedOn(change, summaryOf(one)));
    const at = first + parts.length;
    parts.push({ key: randomId(), step, account, at, change, documents: some, isGuarded });
  }
  await keepChanges(parts);
}

export type CarriedOut = Outcome & {
  /** How many are kept here until the service answers. */
  waiting: number;
  /** Why they are: undefined if they are sent in a moment. */
  problem: Error | undefined;
  undo: () => Promise<void>;
};

const OFFLINE = new Error("You are offline");

/** Changes documents, or keeps the change until the service answers. */
export async function carryOut(change: Change, documents: readonly Changeable[]): Promise<CarriedOut> {
  const step = randomId();
  const end = beginStep(step);
  const outcome = listen(step);
  try {
    await keep(step, change, documents);
    const problem = navigator.onLine
      ? await sendChanges().then(
          () => undefined,
          (reason: unknown) => reason as Error,
        )
      : OFFLINE;
    const waiting = leftOf(step).flatMap((one) => one.documents).length;
    return { ...outcome, waiting, problem, undo: () => undoStep(step, outcome) };
  } finally {
    end();
  }
}

type Step = {
  /** What was done, of these documents. */
  done: (names: string) => string;
  documents: readonly Changeable[];
  change: Change;
};

/** "; 2 refused: …", "; kept here until there is a network" */
export function butOf({ done, refused, waiting, problem }: CarriedOut): string {
  const which = done.length > 0 ? `; ${countOf(waiting)} of them are` : ",";
  const until = isPassing(problem) && navigator.onLine ? "the service answers" : "there is a network";
  const kept = waiting > 0 && problem ? `${which} kept here until ${until}` : "";
  return `${kept}${refused.length > 0 ? `; ${countOf(refused.length)} refused: ${refused[0]?.reason}` : ""}`;
}

/** What a message offers after it; nothing if nothing was changed. */
export const undoOfStep = ({ waiting, changes, undo }: CarriedOut): Pick<Toast, "undo"> =>
  waiting > 0 || changes.length > 0 ? { undo: () => void undo() } : {};

/** Returns whether it was carried out, as far as is known here. */
async function act({ done, documents, change }: Step): Promise<boolean> {
  const told = begin();
  const result = await carryOut(change, documents);
  const not = new Set(result.refused.map(({ document: { id } }) => id));
  const changed = documents.filter(({ id }) => !not.has(id));
  if (changed.length === 0) {
    const text = result.refused[0]?.reason ?? result.problem?.message ?? "Nothing was changed";
    told.end({ kind: "refused", text });
    return false;
  }
  const but = butOf(result);
  const { length: count } = changed;
  const text = (many: number) => done(`${countOf(many)} documents`);
  told.end({
    ...{ text: done(namesOf(changed)) + but, ...undoOfStep(result) },
    ...(but === "" && change.kind !== "rename" && { group: { name: text(2), count, text } }),
  });
  return true;
}

export const renameDocument = (document: Changeable, title: string) =>
  act({
    done: () => `Renamed to “${title}”`,
    documents: [document],
    change: { kind: "rename", title },
  });

export const moveDocuments = (
  documents: readonly Changeable[],
  folder: { id: string | null; name: string },
) => {
  const moved = documents.filter(({ folder_id }) => folder_id !== folder.id);
  if (moved.length === 0) return Promise.resolve(true);
  return act({
    done: (names) => `${names} moved to ${folder.name}`,
    documents: moved,
    change: { kind: "move", folder_id: folder.id, folder: folder.name },
  });
};

type Done = Step["done"];

export const tagDocuments = (
  documents: readonly Changeable[],
  tag: string,
  done: Done = (names) => `${names} tagged ${tag}`,
) => {
  const untagged = documents.filter(({ tags }) => !hasTag(tags, tag));
  if (untagged.length === 0) return Promise.resolve(true);
  return act({
    done,
    documents: untagged,
    change: { kind: "tag", tag },
  });
};

export const untagDocuments = (
  documents: readonly Changeable[],
  tag: string,
  done: Done = (names) => `${tag} removed from ${names}`,
) => {
  const tagged = documents.filter(({ tags }) => hasTag(tags, tag));
  if (tagged.length === 0) return Promise.resolve(true);
  return act({
    done,
    documents: tagged,
    change: { kind: "untag", tag },
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
    change: { kind: "trash" },
  });
