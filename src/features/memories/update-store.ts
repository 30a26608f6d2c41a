import { sql } from "drizzle-orm";
import type { Memory, MemoryUpdateRequest } from "../../contract/memory.ts";
import { changedTags, MAX_TAGS, type TagChange } from "../../contract/tag-rule.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { type AppError, badRequest, preconditionFailed } from "../../platform/core/errors.ts";
import { send, unless } from "../../platform/db/call.ts";
import { memories } from "../../platform/db/tables.ts";
import { allowsChange } from "../../platform/http/etag.ts";
import { type Change, changeMemory, changeStatements, differences } from "./change-store.ts";
import { clockOf, columns, isAwake, NOT_TRASHED, present, type Row, type Writer } from "./row-store.ts";

/** Whether the record is deferred until a day. `touched_at` is then when it wakes, so an update must not move it. */
const sleeps = (row: Row) => row.status === "deferred" && row.deferred_until !== null;

/** The fields whose change shows that somebody attended to the record: what it says, and when it is due. */
const ATTENDED = ["topic", "content", "due_date"] as const;

/** Sets when a record was last attended to, after an update. How it is filed (project, tags, scope …) does not count. */
function attended(row: Row, next: Row, now: string): Row {
  if (ATTENDED.every((name) => next[name] === row[name])) return next;
  return sleeps(row) ? { ...next, renewed_at: now } : { ...next, touched_at: now };
}

export type FieldChange = MemoryUpdateRequest & TagChange;

function tagsAfter(row: Row, { tags = row.tags, add_tags, remove_tags }: FieldChange): string[] {
  return changedTags(tags, { add_tags, remove_tags });
}

/** The change of the given fields of a record, or null if it has them already. Throws 400 for too many tags. */
function fieldsChange(ctx: Ctx, row: Row, change: FieldChange): Change | null {
  const now = ctx.now.toISOString();
  const { add_tags: _, remove_tags: __, ...fields } = change;
  const next = { ...row, ...fields, tags: tagsAfter(row, change) };
  if (next.tags.length > MAX_TAGS) throw badRequest(`tags: a record has at most ${MAX_TAGS}`);
  if (Object.keys(differences(row, next)).length === 0) return null;
  return { next: attended(row, { ...next, updated_at: now }, now), event: "updated" };
}

export type Update = { id: number; change: FieldChange; ifMatch?: string | undefined };

/** In one transaction: each, or why it was left alone. Undefined if others came first or there is no room. Throws 404. */
export async function updateTogether(
  ctx: Ctx,
  updates: readonly Update[],
  { ahead = [], ...writer }: Writer,
): Promise<Map<number, Memory | AppError> | undefined> {
  const requested = new Map(updates.map((update) => [update.id, update]));
  const changeOf = ({ id }: Row) => requested.get(id)?.change ?? {};
  const found = await ctx.db
    .select({ ...columns(ctx), woken: sql<number>`${isAwake(ctx)}` })
    .from(memories)
    .where(
      sql`owner = ${ctx.owner} AND id IN (SELECT value FROM json_each(${JSON.stringify([...requested.keys()])})) AND ${NOT_TRASHED}`,
    );
  const isCurrent = ({ id, version }: Row) => allowsChange(requested.get(id)?.ifMatch, version);
  const current = found.filter(isCurrent);
  if (current.some((row) => tagsAfter(row, changeOf(row)).length > MAX_TAGS)) return undefined;
  const steps = current.map(({ woken, ...row }) => {
    const step = fieldsChange(ctx, row, changeOf(row));
    if (!step) return { memory: row, statements: [] };
    const next = { ...step.next, version: row.version + 1 };
    const written = { ...step, next, woken: woken === 1 };
    return { memory: next, statements: changeStatements(ctx, row, written, writer) };
  });
  const statements = steps.flatMap((step) => step.statements);
  if (statements.length > 0) {
    const { refusal } = await unless(send(ctx, [...ahead, ...statements]), "stale", "quota");
    if (refusal) return undefined;
  }
  const clock = await clockOf(ctx);
  const stale = found.filter((row) => !isCurrent(row));
  return new Map<number, Memory | AppError>([
    ...steps.map(({ memory }) => [memory.id, present(memory, clock)] as const),
    ...stale.map(({ id }) => [id, preconditionFailed()] as const),
  ]);
}

/** Changes the given fields of a record; omitted ones stay. An update that changes nothing keeps the version. */
export async function updateMemory(
  ctx: Ctx,
  id: number,
  change: FieldChange,
  writer: Writer,
): Promise<Memory> {
  const { memory } = await changeMemory(ctx, id, writer, (row) => fieldsChange(ctx, row, change));
  return memory;
}
