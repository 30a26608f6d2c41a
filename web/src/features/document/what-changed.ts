import type { FieldDifference } from "../../../../src/contract/activity.ts";
import { DELETED_FOLDER } from "../../../../src/contract/activity-words.ts";
import type { DocumentVersionListItem } from "../../api/documents.ts";
import type { Folder } from "../../api/folders.ts";
import { titleText } from "../../kit/title-text.ts";
import { folderPath } from "../folders/folders.ts";

const TOP = "/";

const tagsText = ({ added = [], removed = [] }: FieldDifference) =>
  `Tags: ${[...added.map((tag) => `+${tag}`), ...removed.map((tag) => `−${tag}`)].join(" ")}`;

function differenceText(difference: FieldDifference): string[] {
  const { field, from, to } = difference;
  if (field === "title" || field === "name") return [`Renamed from “${titleText(from ?? "")}”`];
  if (field === "folder")
    return [to === TOP ? `Moved out of ${from ?? DELETED_FOLDER}` : `Moved to ${to ?? DELETED_FOLDER}`];
  return field === "tags" ? [tagsText(difference)] : [];
}

const lowerFirst = (text: string) => text.slice(0, 1).toLowerCase() + text.slice(1);

/** What a change says besides a new text: "Renamed from “Plan”, moved to Trips/New, tags: +a −b". Empty if it says nothing else. */
export const filingText = (differences: readonly FieldDifference[] = []): string =>
  differences
    .flatMap(differenceText)
    .map((text, place) => (place === 0 ? text : lowerFirst(text)))
    .join(", ");

type Filed = Pick<DocumentVersionListItem, "title" | "tags" | "folder_id">;

/** How the title, folder and tags of a version differ from those of the one before. */
export function filingDifferences(
  before: Filed,
  after: Filed,
  folders: readonly Folder[],
): FieldDifference[] {
  const pathOf = (id: string | null) => {
    const path = folderPath(folders, id).map(({ name }) => name);
    return id === null ? TOP : path.join("/") || null;
  };
  const added = after.tags.filter((tag) => !before.tags.includes(tag));
  const removed = before.tags.filter((tag) => !after.tags.includes(tag));
  return [
    ...(before.title === after.title ? [] : [{ field: "title", from: before.title, to: after.title }]),
    ...(before.folder_id === after.folder_id
      ? []
      : [{ field: "folder", from: pathOf(before.folder_id), to: pathOf(after.folder_id) }]),
    ...(added.length + removed.length === 0 ? [] : [{ field: "tags", added, removed }]),
  ];
}
