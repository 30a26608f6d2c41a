import { sql } from "drizzle-orm";
import { findingKey } from "../../contract/tidy-kinds.ts";
import { keepDecisionBytes } from "../billing/sizes.ts";
import type { RecordLine } from "../export/format.ts";
import { keepStatement } from "../tidy/keep-store.ts";
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

const findingName = (step: ImportBatch, line: KeptLine) => `${line.kind} ${localKey(step, line)}`;

/** The findings of the lines that are already kept in this account. Reads nothing if there are no such lines. */
export async function readKeptFindings(
  step: ImportBatch,
  records: readonly RecordLine[],
): Promise<Set<string>> {
  const lines = records.filter((line): line is KeptLine => line.type === "tidy_kept");
  if (lines.length === 0) return new Set();
  const names = JSON.stringify(lines.map((line) => [line.kind, localKey(step, line)]));
  const rows = await step.ctx.db.all<{
    name: string;
  }>(sql`SELECT k.kind || ' ' || k.key AS name FROM json_each(${names}) AS named
    CROSS JOIN tidy_kept AS k ON k.owner = ${step.ctx.owner} AND k.kind = named.value ->> 0 AND k.key = named.value ->> 1`);
  return new Set(rows.map(({ name }) => name));
}

/** Keeps a finding that was kept in the exported account, in any mode. */
export function applyKeptFinding(step: ImportBatch, { type, ...line }: KeptLine): void {
  const counts = step.state.counts.tidy_kept;
  const name = findingName(step, { type, ...line });
  if (step.keptFindings.has(name)) {
    counts.skipped++;
    return;
  }
  const { kind, detail, kept_at } = line;
  const kept = { kind, key: localKey(step, { type, ...line }), detail, kept_at };
  if (!reserveRoom(step, { bytes: keepDecisionBytes(kept) }, { type, id: kept.key, title: kind })) return;
  step.keptFindings.add(name);
  counts.created++;
  if (step.mode === "copy") counts.remapped++;
  step.statements.push(Promise.resolve([keepStatement(step.ctx, kept)]));
}
