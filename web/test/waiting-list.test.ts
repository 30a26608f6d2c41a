import { expect, test } from "vitest";
import type { DocumentListItem } from "../../src/contract/document.ts";
import { listWithPendingChanges, pendingTrashChanges } from "../src/features/things/pending-lists.ts";
import type { DocumentChange, PendingChange } from "../src/state/pending-changes.ts";
import { listedDocument } from "./kit/wire.ts";

// Lists with the changes in them that wait for the service. How they are sent is in test/e2e/web-changes.test.ts.

const WORK = "0193a000-0000-7000-8000-000000000001";

const item = (title: string, more: Partial<DocumentListItem> = {}) =>
  listedDocument(title, { updated_at: `2026-11-0${title.length}T08:00:00.000Z`, ...more });

let at = 0;
function waits(
  change: DocumentChange,
  documents: DocumentListItem[],
  more: Partial<PendingChange> = {},
): PendingChange {
  at += 1;
  const step = `step ${at}`;
  return { key: step, step, account: "me", at, change, documents, isGuarded: true, ...more };
}

const [a, bb, ccc] = [item("a", { tags: ["x"] }), item("bb"), item("ccc")];
const all = [ccc, bb, a];
const names = (items: readonly { title: string }[]) => items.map(({ title }) => title);
const toWork: DocumentChange = { kind: "move", folder_id: WORK, folder: "Work" };

test("without changes a list is the same", () => {
  expect(listWithPendingChanges(all, {}, [])).toBe(all);
  expect(listWithPendingChanges(all, {}, [waits({ kind: "trash" }, [a], { refused: "gone" })])).toBe(all);
  expect(listWithPendingChanges(all, {}, [waits({ kind: "trash" }, [a], { isWithdrawn: true })])).toBe(all);
});

test("what is renamed, tagged, moved and trashed is so, in the order in which it was done", () => {
  const changes = [
    waits({ kind: "rename", title: "b2" }, [bb]),
    waits({ kind: "rename", title: "b3" }, [{ ...bb, title: "b2" }]),
    waits({ kind: "tag", tag: "y" }, [a, bb]),
    waits({ kind: "untag", tag: "x" }, [a]),
    waits({ kind: "trash" }, [ccc]),
  ];
  const shown = listWithPendingChanges(all, {}, changes);
  expect(shown.map(({ title, tags }) => [title, ...tags])).toEqual([
    ["b3", "y"],
    ["a", "y"],
  ]);
  expect(names(pendingTrashChanges(changes).come)).toEqual(["ccc"]);
  expect(names(listWithPendingChanges(all, {}, [...changes, waits({ kind: "restore" }, [ccc])]))).toEqual([
    "ccc",
    "b3",
    "a",
  ]);
});

test("a document leaves the lists in which it no longer is, and comes into the others at its place", () => {
  const changes = [waits(toWork, [bb]), waits({ kind: "tag", tag: "y" }, [{ ...bb, folder_id: WORK }])];
  expect(names(listWithPendingChanges(all, { folder_id: "none" }, changes))).toEqual(["ccc", "a"]);
  const inWork = [item("dddd", { folder_id: WORK }), item("e", { folder_id: WORK })];
  expect(names(listWithPendingChanges(inWork, { folder_id: WORK }, changes))).toEqual(["dddd", "bb", "e"]);
  expect(names(listWithPendingChanges(inWork, { folder_id: WORK, sort: "title" }, changes))).toEqual([
    "bb",
    "dddd",
    "e",
  ]);
  expect(names(listWithPendingChanges([], { tag: ["y"] }, changes))).toEqual(["bb"]);
  expect(names(listWithPendingChanges([], { tag: ["Y"] }, changes))).toEqual(["bb"]);
  // It is on a page of this list that has not been read.
  expect(names(listWithPendingChanges([ccc], {}, changes))).toEqual(["ccc"]);
  // Nobody knows whether it has such tasks.
  expect(listWithPendingChanges([], { folder_id: WORK, tasks: "open" }, changes)).toEqual([]);
});

test("what comes out of the trash is in its lists, and no longer in the trash", () => {
  const changes = [waits({ kind: "restore" }, [bb])];
  expect(names(listWithPendingChanges([ccc, a], {}, changes))).toEqual(["ccc", "bb", "a"]);
  expect([...pendingTrashChanges(changes).gone]).toEqual(["bb"]);
});
