import { atOnce, type Steps } from "../text/steps.ts";
import { findAlone } from "./alone.ts";
import { findDoubles } from "./doubles.ts";
import type { Finding } from "./kinds.ts";
import { type Mark, markOf, type Thing } from "./mark.ts";
import { findContradictions } from "./says-otherwise.ts";

/** Removes findings about unused documents that open memories belong to. */
function withoutUsed(singleFindings: readonly Finding[], fingerprints: readonly Mark[]): Finding[] {
  const used = new Set(fingerprints.flatMap(({ document_id }) => document_id ?? []));
  return singleFindings.filter(
    ({ kind, items: [item] }) => kind !== "unused_document" || !used.has(item?.id ?? ""),
  );
}

/** Combines the findings about single items with duplicates and contradictions. Takes n log n time. */
export function* findTogether(
  singleFindings: readonly Finding[],
  fingerprints: readonly Mark[],
): Steps<Finding[]> {
  const duplicates = yield* findDoubles(fingerprints);
  const ids = new Set(duplicates.flatMap(({ items: [_, ...others] }) => others.map(({ id }) => id)));
  yield;
  return [
    ...withoutUsed(singleFindings, fingerprints),
    ...duplicates,
    ...findContradictions(fingerprints, ids),
  ];
}

/** All findings, without steps. `today` is a day such as 2026-11-25. */
export const findAll = (subjects: readonly Thing[], today: string): Finding[] =>
  atOnce(
    findTogether(
      subjects.flatMap((subject) => findAlone(subject, today)),
      subjects.map(markOf),
    ),
  );
