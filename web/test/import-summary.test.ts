import { expect, test } from "vitest";
import { FolderTree } from "../../src/shared/import/folders.ts";
import { createImportMark } from "../../src/shared/import/imported.ts";
import { type ImportItem, textContent } from "../../src/shared/import/item.ts";
import { planAccountImport, summarizePlan } from "../src/features/transfer/plan.ts";

// What is said of an import before it begins.

const folder = (name: string) => ({
  ...{ id: name, name, parent_id: null, document_count: 1 },
  ...{ created_at: "2026-11-01T09:00:00.000Z", updated_at: "2026-11-01T09:00:00.000Z" },
});

function note(path: string, text: string): ImportItem {
  const [folders, name] = [path.split("/").slice(0, -1), path.split("/").at(-1) ?? ""];
  const title = name.replace(".md", "");
  return {
    where: path,
    source: "",
    path,
    name,
    title,
    content: textContent(text),
    tags: [],
    folders,
    notes: [],
  };
}

test("a file with a new name is not said to move to another folder", () => {
  const account = {
    tree: new FolderTree(["Trips", "Home"].map(folder)),
    now: new Date("2026-11-21T09:00:00Z"),
    imported: [note("Trips/Plan.md", "Boots"), note("Trips/Map.md", "North")].map((item, index) => ({
      ...{ id: String(index), version: 1, title: item.title, tags: [], folder_id: "Trips" },
      mark: createImportMark(item, 1),
    })),
  };
  const found = [note("Trips/Route.md", "Boots"), note("Home/Map.md", "North")];
  const summary = summarizePlan(planAccountImport(found, account, { folders: [], tags: [] }), account);
  expect(summary).toMatchObject({
    ...{ renamed: ["Trips/Route.md – Route"], moved: ["Home/Map.md – Map"] },
    ...{ created: [], updated: [], writes: 2 },
  });
});
