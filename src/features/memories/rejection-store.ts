import { sql } from "drizzle-orm";
import { addDays, dayWithWeekday, localMinute } from "../../contract/days.ts";
import type { ErrorCode } from "../../contract/error-codes.ts";
import { fieldNamesWith } from "../../contract/field-spec.ts";
import { TRASH_DAYS } from "../../contract/life-cycle.ts";
import { prefixedId } from "../../contract/links.ts";
import type { MemoryState } from "../../contract/memory.ts";
import { MEMORY_FIELDS } from "../../contract/memory-fields.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { AppError } from "../../platform/core/errors.ts";
import { memories } from "../../platform/db/tables.ts";
import { UNKNOWN_OUTCOME } from "../../platform/tools/tool.ts";
import { isAwakeSql, type MemoryRow, memoryStateJson, parseState } from "./row-store.ts";

type OperationOutcome = {
  id?: number | undefined;
  detail?: string | undefined;
  code?: ErrorCode | undefined;
  expected?: number | undefined;
};

type RecordState = Pick<MemoryRow, "id" | "trashed_at" | "version"> & {
  now: string;
  was: string | null;
  at: string;
  writer: string | null;
};

const CODES_TO_EXPLAIN: readonly (ErrorCode | undefined)[] = ["not_found", "stale", "resolved_too_early"];

async function readRecordStates(
  ctx: Ctx,
  refused: readonly OperationOutcome[],
): Promise<Map<number, RecordState>> {
  const requested = JSON.stringify(refused.map(({ id = 0, expected = 0 }) => [id, expected]));
  const last = (column: string) => sql`(SELECT ${sql.raw(column)} FROM memory_events AS e
    WHERE e.owner = ${ctx.owner} AND e.memory_id = memories.id ORDER BY e.id DESC LIMIT 1)`;
  const rows = await ctx.db.all<RecordState>(sql`
    SELECT ${memories.id}, ${memories.trashed_at}, version + ${isAwakeSql(ctx)} AS version,
      json_remove(${memoryStateJson}, '$.content') AS now,
      (SELECT json_set(json_remove(e.state, '$.content'), '$.same',
          json(iif(e.state ->> '$.content' = memories.content, 'true', 'false')))
        FROM memory_events AS e WHERE e.owner = ${ctx.owner} AND e.memory_id = memories.id
          AND e.state ->> '$.version' = asked.value ->> 1) AS was,
      memories.updated_at AS at, ${last("coalesce(e.client_name, e.source_type)")} AS writer
    FROM json_each(${requested}) AS asked CROSS JOIN memories
      ON memories.owner = ${ctx.owner} AND memories.id = asked.value ->> 0`);
  return new Map(rows.map((row) => [row.id, row]));
}

const COMPARED_FIELDS = [
  ...fieldNamesWith(MEMORY_FIELDS, "difference").filter((name) => name !== "content"),
  "resolution_note",
] as (keyof MemoryState)[];

function changesSince({ now, was }: RecordState): string[] {
  if (was === null) return [];
  const [is, before] = [parseState(now), parseState(was) as MemoryState & { same: boolean }];
  const changed = COMPARED_FIELDS.filter((name) => JSON.stringify(is[name]) !== JSON.stringify(before[name]));
  const shown = (value: unknown) => (value === null || value === undefined ? "empty" : JSON.stringify(value));
  return [
    ...changed.map((name) => `${name} is ${shown(is[name])} now instead of ${shown(before[name])}`),
    ...(before.same ? [] : ["content is different"]),
  ];
}

const mayRead = ({ scopes }: Ctx) => !scopes || scopes.includes("memory:read");

function whyStale(ctx: Ctx, found: RecordState, expected: number, timezone: string): string {
  const { id, version, writer, at } = found;
  const news = mayRead(ctx) ? changesSince(found).map((one) => `; ${one}`) : [];
  const by = writer === null ? "" : ` by ${writer}`;
  return (
    `expected_version: ${prefixedId({ kind: "memory", id })} has version ${version}, not ${expected}; ` +
    `it was written${by} at ${localMinute(at, timezone)}${news.join("")}. Nothing was changed: if your change still makes ` +
    `sense, repeat it with expected_version ${version}`
  );
}

/** Explains why a record, or a version of it, was not found. */
function whyMissing(id: number, found: RecordState | undefined, version = 0): string {
  const name = prefixedId({ kind: "memory", id });
  if (!found?.trashed_at)
    return `${name} is not one of your records: list_memories shows their ids, list_trash those of deleted ones`;
  const last = dayWithWeekday(addDays(found.trashed_at.slice(0, 10), TRASH_DAYS));
  return `${name} is in the trash until ${last}: restore ${version === 0 ? "" : "without a version "}brings it back`;
}

/** Why each operation was rejected; undefined for one that was not. Reads the database only if one of them needs it. */
export async function explainRejections(
  ctx: Ctx,
  outcomes: readonly OperationOutcome[],
): Promise<(string | undefined)[]> {
  const unclear = outcomes.filter(({ code }) => CODES_TO_EXPLAIN.includes(code));
  const plain = ({ code, detail }: OperationOutcome) =>
    code === "outcome_unknown" ? UNKNOWN_OUTCOME : detail;
  if (unclear.length === 0) return outcomes.map(plain);
  const known = await readRecordStates(ctx, unclear);
  const { timezone } = await ctx.user();
  return outcomes.map((one) => {
    const { id = 0, code, expected = 0 } = one;
    const found = known.get(id);
    if (code === "not_found") return whyMissing(id, found);
    if (code === "stale" && found) return whyStale(ctx, found, expected, timezone);
    if (code !== "resolved_too_early" || !found) return plain(one);
    const { happened_on } = JSON.parse(found.now) as MemoryState;
    const day = happened_on === null || !mayRead(ctx) ? "" : `, on ${dayWithWeekday(happened_on)}`;
    return `resolved_on: must not be before ${prefixedId({ kind: "memory", id })} happened${day}; if that was earlier, change its happened_on first (update_memory)`;
  });
}

export async function whyMissingMemory(ctx: Ctx, id: number, version = 0): Promise<string> {
  const found = (await readRecordStates(ctx, [{ id }])).get(id);
  if (!found || found.trashed_at !== null || version === 0) return whyMissing(id, found, version);
  const name = prefixedId({ kind: "memory", id });
  return `${name} has no version ${version}: list_versions shows those that are kept`;
}

export const explainMemoryRejection =
  (ctx: Ctx, id: number, expected?: number) =>
  async (problem: unknown): Promise<never> => {
    if (!(problem instanceof AppError)) throw problem;
    const { status, message, code } = problem;
    const [text = message] = await explainRejections(ctx, [{ id, detail: message, code, expected }]);
    throw new AppError(status, text, {}, code);
  };
