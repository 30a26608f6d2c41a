import { findingKey } from "../../contract/tidy-kinds.ts";
import { keepDecisionBytes } from "../billing/sizes.ts";
import type { RecordLine } from "../export/format.ts";
import { findingName, keepStatement, readKeptNames } from "../tidy/kept-store.ts";
import { type ImportBatch, importTarget, type LineOfType, memoryNumber, reserveRoom } from "./step-store.ts";

type KeptLine = LineOfType<"tidy_kept">;

export const keptDocumentIds = ({ items }: KeptLine): string[] =>
  items.flatMap(({ type, id }) => (type === "document" ? id : []));

/** The key of a finding in this account. */
const localKey = (step: ImportBatch, { items }: KeptLine): string =>
  findingKey(
    items.map(({ type, id }) => ({
      type,
      id: type === "memory" ? String(memoryNumber(step, Number(id))) : importTarget(step, "document", id).id,
    })),
  );

/** The findings of the lines that are already kept in this account. Reads nothing if there are no such lines. */
export async function readKeptFindings(step: ImportBatch, records: readonly RecordLine[]) {
  const lines = records.filter((line): line is KeptLine => line.type === "tidy_kept");
  if (lines.length === 0) return new Set<string>();
  return readKeptNames(
    step.ctx,
    lines.map((line) => ({ kind: line.kind, key: localKey(step, line) })),
  );
}

/** Keeps a finding that was kept in the exported account, in any mode. */
export function applyKeptFinding(step: ImportBatch, line: KeptLine): void {
  const counts = step.state.counts.tidy_kept;
  const { type, kind, detail, kept_at } = line;
  const kept = { kind, key: localKey(step, line), detail, kept_at };
  const name = findingName(kept);
  if (step.keptFindings.has(name)) {
    counts.skipped++;
    return;
  }
  if (!reserveRoom(step, { bytes: keepDecisionBytes(kept) }, { type, id: kept.key, title: kind })) return;
  step.keptFindings.add(name);
  counts.created++;
  if (step.mode === "copy") counts.remapped++;
  step.statements.push([keepStatement(step.ctx, kept)]);
}
