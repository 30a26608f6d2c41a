import type { Activity, FieldDifference } from "../../contract/activity.ts";
import { DELETED_FOLDER } from "../../contract/activity-words.ts";

const LIMITS = { letters: 40, items: 10 };

const cut = (text: string) => {
  const letters = [...text];
  return letters.length > LIMITS.letters ? `${letters.slice(0, LIMITS.letters - 1).join("")}…` : text;
};

const quoted = (value: string | null | undefined) =>
  value === null || value === undefined ? "none" : `"${cut(value)}"`;

/** Items added to or removed from a list: `+"launch" +"work"`. */
function signedItems(sign: "+" | "-", items: readonly string[] = []): string[] {
  const shown = items.slice(0, LIMITS.items).map((item) => `${sign}${quoted(item)}`);
  return items.length > shown.length ? [...shown, `${sign}${items.length - shown.length} more`] : shown;
}

function describeDifference({ field, from, to, added, removed }: FieldDifference): string {
  const shown = (value: string | null | undefined) =>
    field === "folder" && value === null ? DELETED_FOLDER : quoted(value);
  if (to !== undefined) return `${field} ${shown(from)} → ${shown(to)}`;
  return [field, ...signedItems("+", added), ...signedItems("-", removed)].join(" ");
}

export const describeDifferences = (differences: readonly FieldDifference[]) =>
  differences.map(describeDifference).join(", ");

/** Whether the verb already says that the status changed. */
const isImpliedByVerb = ({ verb }: Activity, { field, from, to }: FieldDifference) =>
  field === "status" && from === "active" && (to === verb || verb === "superseded");

/** A change in words: `changed due_date "2026-11-20" → "2026-11-23", content`. */
export function describeChange(entry: Activity, differences: readonly FieldDifference[] = []): string {
  const { verb, undoes, restored_version, again } = entry;
  const did = again ? `${verb} again` : verb;
  const done = restored_version === null ? did : `restored version ${restored_version}`;
  const what = undoes === null ? done : `undid ${undoes}`;
  const fields = describeDifferences(differences.filter((one) => !isImpliedByVerb(entry, one)));
  if (fields === "") return what;
  return what === verb ? `${what} ${fields}` : `${what}: ${fields}`;
}
