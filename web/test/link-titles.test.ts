import { describe, expect, test, vi } from "vitest";
import type { Folder } from "../src/api/folders.ts";
import { searchApi } from "../src/api/search.ts";
import { LINK_OPENING } from "../src/features/document/editor/link-completion.ts";
import {
  documentPath,
  findDocument,
  headingHash,
  newDocumentPath,
  titleOfTarget,
} from "../src/features/document/linked/follow.ts";
import { ALL_FOLDERS_QUERY } from "../src/features/folders/folders.ts";
import { queries } from "../src/state/queries.ts";

// Where links to documents lead, and what opens the list of titles.

const folder = (id: string, name: string, parent_id: string | null) =>
  ({ id, name, parent_id, document_count: 0 }) as unknown as Folder;

const FOLDERS = [folder("p", "People", null), folder("f", "Friends", "p"), folder("o", "Friends", null)];

test.each([
  ["Ada", "title=Ada&folder=here"],
  ["Friends/Ada", "title=Ada&folder=f"],
  ["people/FRIENDS/Ada & Co", "title=Ada+%26+Co&folder=f"],
  ["Nowhere/Ada", "title=Ada&folder=here"],
])("%j is written in the folder that it names, or beside the link", (target, query) => {
  expect(newDocumentPath(target, FOLDERS, "here")).toBe(`/documents/new?${query}`);
});

test.each([
  ["The engine", "#h-the-engine"],
  ["Life#The “engine”!", "#h-the-engine"],
  ["^Block", "#^block"],
  [undefined, ""],
])("the heading %j is found at %j", (heading, hash) => {
  expect(headingHash(heading)).toBe(hash);
  expect(documentPath("1", heading)).toBe(`/documents/1${hash}`);
});

test("of documents with one title, a link leads to that in the folder that it names", async () => {
  const document = (id: string, folder_id: string | null) => ({ document: { id, title: "Ada", folder_id } });
  const results = [document("1", null), document("2", "p"), document("3", "f")];
  vi.spyOn(searchApi, "search").mockResolvedValue({ results } as never);
  queries.setQueryData(ALL_FOLDERS_QUERY.queryKey, FOLDERS);
  const found = await Promise.all(
    ["Ada", "People/Ada", "people/friends/ada", "Nowhere/Ada"].map(findDocument),
  );
  expect(found).toEqual(["1", "2", "3", "1"]);
  vi.restoreAllMocks();
  queries.clear();
});

test("a title is what follows the folders", () => {
  expect(["Ada", "People/Ada", ""].map(titleOfTarget)).toEqual(["Ada", "Ada", ""]);
});

describe("the list of titles", () => {
  test.each([
    ["see [[", ""],
    ["see [[Ada Lo", "Ada Lo"],
    ["![[People/Ada#Li", "People/Ada#Li"],
    ["[[Ada]] and [[B", "B"],
    ["[[Ada|wo", undefined],
    ["[[Ada]] and", undefined],
    ["if [[ -f", undefined],
    ["[x", undefined],
  ])("%j opens it with %j", (before, typed) => {
    expect(LINK_OPENING.exec(before)?.[1]).toBe(typed);
  });
});
