import { DELETED_FOLDER } from "../../../../src/contract/activity-words.ts";
import type { Activity } from "../../api/activity.ts";
import { documentsApi } from "../../api/documents.ts";
import { type MemoryVersion, memoriesApi } from "../../api/memories.ts";
import { type Writing, writingOf } from "../document/writing.ts";
import { folderPathName, useFolders } from "../folders/folders.ts";
import { recordStateTexts } from "../records/version-fields.ts";

// The states of an item before and after a change, as text.

export type VersionState = { fields: Record<string, string>; text: Writing };

const EMPTY_STATE: VersionState = { fields: {}, text: { kind: "text", text: "" } };

type Kind = Exclude<Activity["kind"], "folder">;

async function readState(kind: Kind, id: string, version: number, folderOf: (id: string) => string) {
  if (kind === "memory") return memoryState(await memoriesApi.version(Number(id), version));
  const { title, tags, folder_id, content } = await documentsApi.version(id, version);
  return {
    fields: { Title: title, Tags: tags.join(", "), Folder: folder_id ? folderOf(folder_id) : "" },
    text: writingOf(content),
  };
}

const memoryState = (version: MemoryVersion): VersionState => ({
  fields: recordStateTexts(version),
  text: { kind: "text", text: version.content },
});

/** Whether a change created a version, so that two states can be compared. */
export const hasVersions = ({ kind, version_before, version_after }: Activity): boolean =>
  kind !== "folder" && version_after !== null && version_before !== version_after;

/** The query for both states of a change. Before the first version the state is empty. */
export function useStatesQuery(change: Activity) {
  const folders = useFolders().data ?? [];
  const folderOf = (id: string) => folderPathName(folders, id) || DELETED_FOLDER;
  const { kind, record_id, version_before, version_after } = change;
  const read = (version: number | null) =>
    version === null ? EMPTY_STATE : readState(kind as Kind, record_id, version, folderOf);
  return {
    queryKey: ["activity", "states", change.id, folders.length],
    queryFn: async () => {
      const [before, after] = await Promise.all([read(version_before), read(version_after)]);
      return { before, after };
    },
    staleTime: "static" as const,
  };
}
