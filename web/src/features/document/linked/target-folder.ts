import { folderPathKey } from "../../../../../src/contract/folder-key.ts";
import type { Folder } from "../../../api/folders.ts";
import { queries } from "../../../state/queries.ts";
import { ALL_FOLDERS_QUERY, folderPath } from "../../folders/folders.ts";

/** The folders that a target may name before the title. */
function foldersForTarget(target: string, folders: readonly Folder[]): string[] {
  const path = folderPathKey(target.slice(0, Math.max(0, target.lastIndexOf("/"))));
  if (path === "") return [];
  const keyOf = ({ id }: Folder) =>
    folderPathKey(
      folderPath(folders, id)
        .map(({ name }) => name)
        .join("/"),
    );
  return folders.filter((folder) => `/${keyOf(folder)}`.endsWith(`/${path}`)).map(({ id }) => id);
}

/** The folder that a target names before the title, if there is one. */
export const folderForTarget = (target: string, folders: readonly Folder[]): string | undefined =>
  foldersForTarget(target, folders)[0];

/** Of documents with the title of a target, the one in the folder that the target names, if it names one. */
export async function inNamedFolder<Found extends { folder_id: string | null }>(
  target: string,
  found: readonly Found[],
): Promise<Found | undefined> {
  const [first] = found;
  if (found.length < 2 || !target.includes("/")) return first;
  const folders = await queries.fetchQuery(ALL_FOLDERS_QUERY).catch(() => []);
  const named = new Set(foldersForTarget(target, folders));
  return found.find(({ folder_id }) => folder_id !== null && named.has(folder_id)) ?? first;
}
