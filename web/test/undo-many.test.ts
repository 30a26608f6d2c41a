import { renderHook } from "@testing-library/react";
import { expect, test } from "vitest";
import { MAX_UNDONE_CHANGES, UndoAnswer, UndoRequest } from "../../src/contract/activity.ts";
import { MAX_NAMED_CHANGES } from "../../src/contract/change-id.ts";
import { setAccount } from "../src/api/current-account.ts";
import { previewUndo, undoByIds } from "../src/features/activity/undo.ts";
import { useToastEntries } from "../src/state/toasts.ts";
import { ADA, answer, connect, written } from "./kit/wire.ts";

// More changes than a request may name. What the service makes of each request is in test/web/web-activity.test.ts.

connect();

const UNDO = "POST /api/activity/undo";
/** Undoing them gets these numbers. */
const UNDOING = 100_000;

const undone = (id: number, isTrial: boolean) => ({
  ...{ id, verb: "changed", kind: "memory", record_id: String(id), title: "One", outcome: "undone" },
  ...(!isTrial && { undone_by: UNDOING + id }),
});

/** Undoes what is named, each change with `others` more of higher numbers. */
const answerUndo = (others: number) =>
  answer({
    [UNDO]: ({ body }) => {
      const {
        ids = [],
        before = Number.MAX_SAFE_INTEGER,
        dry_run,
        assume_undone = [],
      } = UndoRequest.parse(body);
      const page = ids
        .filter((id) => id < before)
        .sort((a, b) => b - a)
        .slice(0, MAX_UNDONE_CHANGES);
      const all = page.flatMap((id) => [...Array.from({ length: others }, (_, at) => id + 1 + at), id]);
      const results = all.filter((id) => !assume_undone.includes(id)).map((id) => undone(id, dry_run));
      const counts = { undone: results.length, not_undone: 0, dry_run, has_more: false };
      return { schema: UndoAnswer, body: { results, ...counts } };
    },
  });

/** Every third number. */
const changes = (count: number) => Array.from({ length: count }, (_, at) => 3 * (at + 1));

test.each([
  [1000, 0],
  [1000, 1],
  [1000, 2],
  [2001, 0],
])("%i changes are tried out, with %i more each, and undone", async (count, others) => {
  setAccount(ADA);
  answerUndo(others);
  const tried = (await previewUndo(changes(count))).map(({ id }) => id);
  expect([tried.length, new Set(tried).size]).toEqual([(1 + others) * count, (1 + others) * count]);
  answerUndo(0);
  const results = (await undoByIds(tried)).map(({ id }) => id);
  expect(results).toEqual(tried.toSorted((a, b) => b - a));
  const named = written().map(({ body }) => (body as { ids: string[] }).ids.length);
  expect(Math.max(...named)).toBe(Math.min(tried.length, MAX_NAMED_CHANGES));
  const [entry] = renderHook(useToastEntries).result.current;
  expect(entry?.told?.text).toBe(`Undone: ${tried.length} changes`);
});
