import { atOnce, type Steps } from "../text/steps.ts";
import { findAlone } from "./alone.ts";
import { findDoubles } from "./doubles.ts";
import type { Finding } from "./kinds.ts";
import { type Mark, markOf, type Thing } from "./mark.ts";
import { findContradictions } from "./says-otherwise.ts";

/** Removes findings about unused documents that open memories belong to. */
function withoutUsed(alone: readonly Finding[], marks: readonly Mark[]): Finding[] {
  const used = new Set(marks.flatMap(({ document_id }) => document_id ?? []));
  return alone.filter(({ kind, items: [item] }) => kind !== "unused_document" || !used.has(item?.id ?? ""));
}

/** Combines the findings about single items with duplicates and contradictions. Takes n log n time. */
export function* findTogether(alone: readonly Finding[], marks: readonly Mark[]): Steps<Finding[]> {
  const doubles = yield* findDoubles(marks);
  const ids = new Set(doubles.flatMap(({ items: [_, ...others] }) => others.map(({ id }) => id)));
  yield;
  return [...withoutUsed(alone, marks), ...doubles, ...findContradictions(marks, ids)];
}

/** All findings, without steps. `today` is a day such as 2026-11-25. */
export const findAll = (things: readonly Thing[], today: string): Finding[] =>
  atOnce(
    findTogether(
      things.flatMap((thing) => findAlone(thing, today)),
      things.map(markOf),
    ),
  );
