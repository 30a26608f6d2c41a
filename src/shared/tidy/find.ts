import type { TidyFinding, TidyKind } from "../../contract/tidy-kinds.ts";
import { runSteps, type Steps } from "../text/steps.ts";
import { findContradictions } from "./contradictions.ts";
import { findDuplicates } from "./duplicates.ts";
import { type Fingerprint, makeFingerprint, type TidySubject } from "./fingerprint.ts";
import { findInSubject } from "./single.ts";

const AGED: readonly TidyKind[] = ["unused_document", "unlinked_document"];

/** Without the documents to which open records belong. Where most have no links, those are no fault either. */
function withoutUsed(
  singleFindings: readonly TidyFinding[],
  fingerprints: readonly Fingerprint[],
): TidyFinding[] {
  const used = new Set(fingerprints.flatMap(({ document_id }) => document_id ?? []));
  const count = (isLinked: boolean) => fingerprints.filter(({ is_linked }) => is_linked === isLinked).length;
  const isUnusual = count(true) >= count(false);
  return singleFindings.filter(
    ({ kind, items: [item] }) =>
      !AGED.includes(kind) || (!used.has(item?.id ?? "") && (isUnusual || kind !== "unlinked_document")),
  );
}

/** Combines the findings about single items with duplicates and contradictions. Takes n log n time. */
export function* findAcross(
  singleFindings: readonly TidyFinding[],
  fingerprints: readonly Fingerprint[],
): Steps<TidyFinding[]> {
  const duplicates = yield* findDuplicates(fingerprints);
  const ids = new Set(duplicates.flatMap(({ items: [_, ...others] }) => others.map(({ id }) => id)));
  yield;
  return [
    ...withoutUsed(singleFindings, fingerprints),
    ...duplicates,
    ...findContradictions(fingerprints, ids),
  ];
}

/** All findings, without steps. `today` is a day such as 2026-11-25. */
export const findAllFindings = (subjects: readonly TidySubject[], today: string): TidyFinding[] =>
  runSteps(
    findAcross(
      subjects.flatMap((subject) => findInSubject(subject, today)),
      subjects.map(makeFingerprint),
    ),
  );
