import type { PlannedItem } from "../../src/shared/import/imported.ts";
import type { ImportPlan } from "../../src/shared/import/plan.ts";
import { tallyReasons, UNCHANGED_REASON } from "../../src/shared/import/tally.ts";
import type { AccountImportResult, ImportResult, TaskImportResult } from "./run.ts";

const MAX_LINES = 20;

const formatPath = (names: string[]) => `/${names.join("/")}`;

function listLines(heading: string, lines: string[]): string[] {
  if (lines.length === 0) return [];
  const more = lines.length - MAX_LINES;
  return [
    `${heading}: ${lines.length}`,
    ...lines.slice(0, MAX_LINES).map((line) => `  ${line}`),
    ...(more > 0 ? [`  … and ${more} more`] : []),
  ];
}

/** Describes what a mirror would do. */
export function describePlan({ steps, renames, trash, empty }: ImportPlan): string {
  const itemsOfKind = (kind: PlannedItem["kind"]) =>
    steps.filter((step) => step.kind === kind).map(({ item }) => item.where);
  return [
    ...listLines(
      "Folders to rename",
      renames.map(({ from, to }) => `${formatPath(from)} → ${formatPath(to)}`),
    ),
    ...listLines("To create", itemsOfKind("create")),
    ...listLines("To update", itemsOfKind("update")),
    ...listLines("To move or rename", itemsOfKind("moved")),
    ...listLines("To reset to the file, because they were changed in the account", itemsOfKind("edited")),
    ...listLines(
      "To move to the trash, because their files are gone",
      trash.map(({ title }) => title),
    ),
    ...listLines(
      "Empty folders to delete",
      empty.map(({ path }) => formatPath(path)),
    ),
  ].join("\n");
}

/** Describes what an import did. */
export function describeResult(result: ImportResult, mirror: boolean): string {
  const { created, updated, trashed, skipped, refused, leftOut, notes, files } = result;
  const gone = mirror || trashed > 0 ? `${trashed} to the trash, ` : "";
  return [
    `${created} created, ${updated} updated, ${gone}${skipped} skipped, ${refused.length} refused`,
    ...(skipped > 0 ? [`Skipped: ${UNCHANGED_REASON}.`] : []),
    ...(files > 0 ? [`Linked files: ${files}.`] : []),
    ...(leftOut.length > 0 ? [`Left out: ${tallyReasons(leftOut.map((one) => one.leftOut))}.`] : []),
    ...notes.map(({ where, note }) => `Note: ${where}: ${note}`),
    ...refused.map(({ where, why }) => `Refused: ${where}: ${why}`),
    ...(result.tasks ? ["Tasks, as records:", describeTasks(result.tasks, false)] : []),
  ].join("\n");
}

/** Describes what an import of tasks did, or would do, line by line. */
export function describeTasks({ read, done }: TaskImportResult, dryRun: boolean): string {
  const { understood, notes, refused, leftOut } = read;
  const { created, skipped } = done.memories;
  return [
    ...(dryRun ? understood.map(({ where, topic, says }) => `${where}: ${topic}: ${says}`) : []),
    ...leftOut.map(({ where, leftOut: why }) => `Left out: ${where}: ${why}`),
    ...notes.map(({ where, note }) => `Note: ${where}: ${note}`),
    ...refused.map(({ where, why }) => `Refused: ${where}: ${why}`),
    ...done.not_stored.items.map(({ title, detail }) => `Refused: ${title}: ${detail}`),
    `${created} ${dryRun ? "to create" : "created"}, ${skipped} skipped, ${refused.length + done.not_stored.total} refused`,
    ...(skipped > 0 ? [`Skipped: ${UNCHANGED_REASON}.`] : []),
  ].join("\n");
}

/** Describes what an import of a whole account did. */
export function describeAccount({ done, refused }: AccountImportResult): string {
  const kinds = {
    documents: done.documents,
    records: done.memories,
    folders: done.folders,
    files: done.attachments,
  };
  const counts = Object.entries(kinds).map(([name, { created, skipped }]) =>
    name === "files" ? `${created} files attached` : `${created} ${name} created, ${skipped} already there`,
  );
  return [
    `${counts.join("; ")}.`,
    ...refused.map(({ where, why }) => `Refused: ${where}: ${why}`),
    ...done.not_stored.items.map(({ title, detail }) => `Refused: ${title}: ${detail}`),
  ].join("\n");
}
