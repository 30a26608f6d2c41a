import { expect, test } from "vitest";
import { doneText } from "../src/features/transfer/import-status.ts";

// What is said of a finished import.

const NONE = { created: 0, updated: 0, trashed: 0, files: 0, records: 0 };
const refused = [{ where: "a.md", why: "is not UTF-8" }];

test.each([
  [{ created: 350 }, [], "Imported 350 documents"],
  [{ created: 1, files: 1 }, [], "Imported 1 document and 1 file"],
  [{ created: 2000, files: 12, records: 3 }, [], "Imported 2,000 documents, 12 files and 3 records"],
  [{ created: 3, updated: 2 }, refused, "Imported 3 documents. Updated 2 documents. Failed: 1 item"],
  [{ updated: 1, trashed: 2 }, [], "Updated 1 document. Moved to the trash: 2 documents"],
  [{ records: 1 }, [], "Imported 1 record"],
  [{}, [], "Import finished. Nothing was new."],
])("%j", (counts, problems, text) => {
  expect(doneText({ counts: { ...NONE, ...counts }, refused: problems })).toBe(text);
});

test("an import that an earlier version of the app began", () => {
  const counts = { created: 2, updated: 0, trashed: 0 };
  expect(doneText({ counts, refused: [] })).toBe("Imported 2 documents");
});
