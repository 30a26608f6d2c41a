import { expect, test } from "vitest";
import type { Folder } from "../src/api/folders.ts";
import { parseFolderPath } from "../src/features/folders/new-folder-path.ts";

// The folders that a path typed into "Move to" creates.

const folder = (id: string, name: string, parent_id: string | null): Folder =>
  ({
    ...{ id, name, parent_id, document_count: 0 },
    ...{ created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z" },
  }) as Folder;

const FOLDERS = [folder("1", "Reise", null), folder("2", "Alt", "1")];

test.for([
  ["Neu", undefined, ["Neu"]],
  ["Reise/Neu", "1", ["Neu"]],
  ["reise / alt / Neu", "2", ["Neu"]],
  ["Reise/Neu/Mai", "1", ["Neu", "Mai"]],
  ["Arbeit/Neu", undefined, ["Arbeit", "Neu"]],
  ["/Reise//Neu/", "1", ["Neu"]],
  ["Reise", "1", []],
  [" / ", undefined, []],
] as const)("%s", ([typed, parent, names]) => {
  const planned = parseFolderPath(typed, FOLDERS);
  expect([planned.parent?.id, planned.names]).toEqual([parent, names]);
});
