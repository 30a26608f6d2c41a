import { atOnce, type Steps } from "../text/steps.ts";
import { findAlone } from "./alone.ts";
import { findDoubles } from "./doubles.ts";
import type { Finding } from "./kinds.ts";
import { type Mark, markOf, type Thing } from "./mark.ts";
import { findContradictions } from "./says-otherwise.ts";

/** Without the documents that open records belong to: they are in use. */
function withoutUsed(alone: readonly Finding[], marks: readonly Mark[]): Finding[] {
  const used = new Set(marks.flatMap(({ document_id }) => document_id ?? []));
  return alone.filter(({ kind, items: [item] }) => kind !== "unused_document" || !used.has(item?.id ?? ""));
}

/** What was found in each thing alone, and what can be said only of several: doubles and contradictions. In n log n. */
export function* findTogether(alone: readonly Finding[], marks: readonly Mark[]): Steps<Finding[]> {
  const doubles = yield* findDoubles(marks);
  const ids = new Set(doubles.flatMap(({ items: [_, ...others] }) => others.map(({ id }) => id)));
  yield;
  return [...withoutUsed(alone, marks), ...doubles, ...findContradictions(marks, ids)];
}

/** All that is found in things that are at hand. `today` is a day such as 2026-11-25. */
export const findAll = (things: readonly Thing[], today: string): Finding[] =>
  atOnce(
    findTogether(
      things.flatMap((thing) => findAlone(thing, today)),
      things.map(markOf),
    ),
  );
