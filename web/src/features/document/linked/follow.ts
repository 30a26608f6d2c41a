import { nameKey, normalizeName } from "../../../../../src/contract/name-key.ts";
import { screenPath } from "../../../../../src/contract/paths.ts";
import { linkedId, linkNameKey } from "../../../../../src/shared/markdown/note-links.ts";
import type { Folder } from "../../../api/folders.ts";
import { isApiError, isTransientError } from "../../../api/request.ts";
import { searchApi } from "../../../api/search.ts";
import { queries } from "../../../state/queries.ts";
import { toast } from "../../../state/toasts.ts";
import { ALL_FOLDERS_QUERY } from "../../folders/folders.ts";
import { headingId, headingSlug } from "../prose-headings.ts";
import { folderForTarget, inNamedFolder } from "./target-folder.ts";

// Where links to documents lead.

/** The title in a target, without the folders before it. */
export const titleOfTarget = (target: string): string => target.slice(target.lastIndexOf("/") + 1);

/** The anchor of a heading, or of a block, `^id`. The innermost of `A#B` counts. */
export function headingHash(heading = ""): string {
  if (heading.startsWith("^")) return `#${heading.toLowerCase()}`;
  const slug = headingSlug(heading.split("#").at(-1) ?? "");
  return slug && `#${headingId(slug)}`;
}

export const documentPath = (id: string, heading?: string): string =>
  `${screenPath("document", id)}${headingHash(heading)}`;

/** Where a document is created to which a target then leads. */
export function newDocumentPath(target: string, folders: readonly Folder[], folderId: string | null): string {
  const query = new URLSearchParams({ title: titleOfTarget(target) });
  const folder = folderForTarget(target, folders) ?? folderId;
  if (folder) query.set("folder", folder);
  return `${screenPath("document", "new")}?${query}`;
}

const searchQuery = (target: string) => `title:"${titleOfTarget(target).replace(/["“”„«»]/g, " ")}"`;

/** The search for a link that is not resolved yet, for another tab. */
export const searchPath = (target: string): string =>
  `${screenPath("search")}?q=${encodeURIComponent(searchQuery(target))}`;

/**
 * The id of the document to which a target leads; undefined if there is none. Looks on this device if the server cannot be
 * reached. Throws ApiError.
 */
export async function findDocument(target: string): Promise<string | undefined> {
  const id = linkedId(target);
  if (id !== undefined) return id;
  try {
    const { results } = await searchApi.search({ q: searchQuery(target), type: "documents", limit: 20 });
    const found = results.flatMap((result) => ("document" in result ? [result.document] : []));
    const named = found.filter(({ title }) => nameKey(normalizeName(title)) === linkNameKey(target));
    return (await inNamedFolder(target, named))?.id;
  } catch (problem) {
    if (!isTransientError(problem)) throw problem;
    const { findOnDevice } = await import("./on-device.ts");
    const found = await findOnDevice(target);
    if (!found) throw problem;
    return found.id;
  }
}

type LookUp = {
  target: string;
  heading: string | undefined;
  /** Where a new document is created. */
  folderId: string | null;
  /** Whether the user still waits for it. Otherwise, a failure is not shown. */
  isWanted: () => boolean;
};

/** Where a target leads: to its document or to a new one. Undefined, with a message, if that cannot be found out. */
export async function lookUpPath({
  target,
  heading,
  folderId,
  isWanted,
}: LookUp): Promise<string | undefined> {
  try {
    const id = await findDocument(target);
    if (id !== undefined) return documentPath(id, heading);
    return newDocumentPath(target, await queries.fetchQuery(ALL_FOLDERS_QUERY), folderId);
  } catch (problem) {
    if (!isWanted()) return undefined;
    const missing = `Can’t reach the server, and “${titleOfTarget(target)}” isn’t on this device`;
    toast({ kind: "refused", text: isApiError(problem, 0) ? missing : (problem as Error).message });
    return undefined;
  }
}
