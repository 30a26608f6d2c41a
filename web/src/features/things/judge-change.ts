import { type Document, documentsApi, type ReadDocument } from "../../api/documents.ts";
import { isApiError } from "../../api/request.ts";
import { titleText } from "../../kit/title-text.ts";
import { queries } from "../../state/queries.ts";
import type { Change, Changeable } from "../../state/waiting-changes.ts";
import { ALL_FOLDERS, pathName } from "../folders/folders.ts";
import type { Refused } from "./change-request.ts";

// What becomes of a change that was refused because its document is not what it was. Changes of different fields go together;
// only who changed the same is asked about.

/** `now`: what the document is, to which the change is to be made, or about which somebody has to decide. */
export type Judged = { isDone: true } | { again: Changeable } | { reason: string; now: Changeable };

const unlessGone = <T>(asked: Promise<T>): Promise<T | undefined> =>
  asked.catch((problem: unknown) => {
    if (isApiError(problem, 404)) return undefined;
    throw problem;
  });

const IN_TRASH = "It is in the trash: somebody deleted it meanwhile. Restore it first";

function isDone(change: Change, now: ReadDocument): boolean {
  if (change.kind === "trash" || change.kind === "restore")
    return Boolean(now.trashed_at) === (change.kind === "trash");
  if (now.trashed_at) return false;
  if (change.kind === "rename") return now.title === change.title;
  return change.kind === "move" && now.folder_id === change.folder_id;
}

/** Whether the text is another than the one that was there when somebody decided on it. */
async function isRewritten({ id, version }: Changeable, now: Document): Promise<boolean> {
  const before = await unlessGone(documentsApi.version(id, version));
  return JSON.stringify(before?.content ?? null) !== JSON.stringify(now.content ?? null);
}

/** Who has changed the same meanwhile; undefined if nobody has. */
async function overlapOf(change: Change, before: Changeable, now: Document): Promise<string | undefined> {
  if (change.kind === "rename" && now.title !== before.title)
    return `Somebody renamed it to “${titleText(now.title)}” meanwhile`;
  if (change.kind === "move" && now.folder_id !== before.folder_id) {
    const name = pathName(await queries.fetchQuery(ALL_FOLDERS), now.folder_id);
    return `Somebody moved it to ${name ? `“${name}”` : "no folder"} meanwhile`;
  }
  if (change.kind === "trash" && (await isRewritten(before, now)))
    return "Somebody has written in it meanwhile";
  return undefined;
}

async function isFolderGone(change: Change): Promise<boolean> {
  if (change.kind !== "move" || change.folder_id === null) return false;
  const folders = await queries.fetchQuery({ ...ALL_FOLDERS, staleTime: 0 });
  return !folders.some(({ id }) => id === change.folder_id);
}

/** Decides on one document of a change. Throws ApiError. */
export async function judge(change: Change, { document: before, reason }: Refused): Promise<Judged> {
  const found = await unlessGone(documentsApi.getAnywhere(before.id));
  if (!found) return { reason: "It was erased for good", now: before };
  const { content: _, trashed_at, ...now } = found;
  if (isDone(change, found)) return { isDone: true };
  if (trashed_at) return { reason: change.kind === "restore" ? reason : IN_TRASH, now };
  if (change.kind === "move" && (await isFolderGone(change)))
    return { reason: `The folder “${change.folder}” was deleted meanwhile. Move it to another one`, now };
  if (found.version === before.version || change.kind === "tag" || change.kind === "untag")
    return { reason, now };
  const overlap = await overlapOf(change, before, found);
  return overlap ? { reason: overlap, now } : { again: now };
}
