import { expect, test } from "vitest";
import type { Activity, UndoResult } from "../../src/contract/activity.ts";
import { listActivityRoute, undoActivityRoute } from "../../src/features/activity/routes.ts";
import { bulkDocumentsRoute, listDocumentsRoute } from "../../src/features/documents/routes.ts";
import { groupByDay, headline, isUndoable } from "../../web/src/features/activity/group.ts";
import { undoInBatches } from "../../web/src/features/activity/undo-batches.ts";
import { type Client, person } from "../kit/client.ts";

// Changes by day and by who made them, and the undoing of many.

type Actor = Activity["actor"];
const PERSON: Actor = { kind: "person", id: null, client_name: null };
const claude = (id: string): Actor => ({ kind: "assistant", id, client_name: "Claude" });

let last = 0;
const change = (at: string, actor: Actor, record_id: string, more: Partial<Activity> = {}): Activity => ({
  id: ++last,
  at,
  actor,
  verb: "changed",
  kind: "memory",
  record_id,
  title: "Title",
  reason: null,
  version_before: 1,
  version_after: 2,
  undoes: null,
  undone_by: null,
  restored_version: null,
  ...more,
});

test("changes are grouped by the days of the person's time zone, and on each by who made them", () => {
  const changes = [
    change("2026-11-21T23:30:00.000Z", claude("a"), "1"),
    change("2026-11-21T22:30:00.000Z", claude("a"), "2"),
    change("2026-11-21T22:20:00.000Z", PERSON, "2"),
    change("2026-11-21T22:10:00.000Z", claude("a"), "2"),
    change("2026-11-21T22:00:00.000Z", claude("b"), "2"),
  ];
  const shown = groupByDay(changes, "Europe/Berlin").map(({ day, groups }) => [
    day,
    groups.map((group) => headline(group)),
  ]);
  expect(shown).toEqual([
    ["2026-11-22", ["Claude changed one item"]],
    ["2026-11-21", ["Claude changed one item", "You changed one item", "Claude changed one item"]],
  ]);
  expect(groupByDay(changes, "UTC")[0]?.groups.map((group) => headline(group))).toEqual([
    "Claude changed 2 items",
    "You changed one item",
    "Claude changed one item",
  ]);
});

test("undoing is offered once, for what exists, and not for an undo", () => {
  const at = "2026-11-21T12:00:00.000Z";
  expect(isUndoable(change(at, PERSON, "1"))).toBe(true);
  for (const more of [{ title: null }, { undoes: 1 }, { undone_by: 1 }, { verb: "woke" as const }])
    expect(isUndoable(change(at, PERSON, "1", more))).toBe(false);
});

/** The caller's changes that have not been undone, newest first. */
async function openChanges(client: Client): Promise<number[]> {
  const ids: number[] = [];
  let cursor: string | null = null;
  do {
    const page: { items: Activity[]; next_cursor: string | null } = await client.ok(listActivityRoute, {
      query: { limit: "100", ...(cursor && { cursor }) },
    });
    ids.push(...page.items.filter(isUndoable).map(({ id }) => id));
    cursor = page.next_cursor;
  } while (cursor);
  return ids;
}

test("more changes than fit into one request are tried out and undone like one, and so is their undo", async () => {
  const ada = await person();
  const RECORDS = 51;
  const write = (operations: object[]) => ada.ok(bulkDocumentsRoute, { json: { operations } });
  const made = await write(Array.from({ length: RECORDS }, () => ({ operation: "create", title: "One" })));
  await write(made.results.map(({ id }) => ({ operation: "update", id, title: "Two" })));
  const titles = async () => {
    const { items } = await ada.ok(listDocumentsRoute, { query: { limit: "100" } });
    return items.map(({ title }) => title);
  };
  const isUndone = ({ outcome }: UndoResult) => outcome === "undone";
  const ids = await openChanges(ada);
  expect(ids).toHaveLength(2 * RECORDS);

  const trial = await undoInBatches(ids, async (some, done) => {
    const json = { ids: some, dry_run: true, assume_undone: done };
    return (await ada.ok(undoActivityRoute, { json })).results;
  });
  expect(trial.filter((result) => !isUndone(result))).toEqual([]);
  expect(await titles()).toEqual(Array(RECORDS).fill("Two"));

  const undo = (changes: number[]) =>
    undoInBatches(
      changes,
      async (some) => (await ada.ok(undoActivityRoute, { json: { ids: some } })).results,
    );
  const undone = await undo(ids);
  expect(undone.filter((result) => !isUndone(result))).toEqual([]);
  expect(await titles()).toEqual([]);
  const redone = await undo(undone.map(({ undone_by = 0 }) => undone_by));
  expect(redone.filter((result) => !isUndone(result))).toEqual([]);
  expect(await titles()).toEqual(Array(RECORDS).fill("Two"));
});
