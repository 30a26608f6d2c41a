import { type SQL, sql } from "drizzle-orm";
import { v7 as uuid } from "uuid";
import type { Ctx } from "../core/ctx.ts";
import { unavailable } from "../core/errors.ts";
import { documents } from "../db/tables.ts";
import {
  type Idempotency,
  idempotencyOf,
  onceStatements,
  storedAnswer,
  storedStatement,
} from "../idempotency/store.ts";
import { type Found, type Plan, planBulk } from "./bulk.ts";
import type { BulkOperation, DocumentBulkAnswer, DocumentBulkRequest } from "./schema.ts";
import {
  detailStatements,
  insertStatement,
  keepStatements,
  living,
  newRow,
  type Origin,
  rowStatement,
  visible,
} from "./store.ts";
import { trashStatements } from "./trash-store.ts";

type Operations = DocumentBulkRequest["operations"];

/** How often a bulk request starts again because somebody else wrote one of its documents first. */
const MAX_ATTEMPTS = 20;

const inList = (ids: Iterable<string>) => sql`IN (SELECT value FROM json_each(${JSON.stringify([...ids])}))`;

/** The documents and folders that the operations name, as far as they are the caller's, in one transaction. */
async function find(ctx: Ctx, operations: Operations, once: Idempotency | undefined) {
  const ids = new Set(operations.flatMap((operation) => ("id" in operation ? [operation.id] : [])));
  const folderIds = new Set(
    operations.flatMap((operation) =>
      "folder_id" in operation && operation.folder_id ? [operation.folder_id] : [],
    ),
  );
  const [rows, folders, stored] = await ctx.db.batch([
    ctx.db
      .select(visible)
      .from(documents)
      .where(sql`${living(ctx)} AND ${documents.id} ${inList(ids)}`),
    ctx.db.all<{ id: string }>(
      sql`SELECT id FROM folders WHERE owner = ${ctx.owner} AND id ${inList(folderIds)}`,
    ),
    ...(once ? [storedStatement(ctx, once)] : []),
  ]);
  const found: Found = { documents: rows, folders: new Set(folders.map(({ id }) => id)) };
  return { found, answer: once && storedAnswer(once, stored?.[0]) };
}

/**
 * True in SQL while everything that the plan was made from is still so: no document has moved on, no folder has
 * gone. Together with the planned results this makes the whole request one conditional transaction.
 */
function isStillSo(ctx: Ctx, plans: Map<string, Plan>): SQL {
  const states = [...plans.values()];
  const versions = states.flatMap(({ before }) => (before ? [[before.id, before.version]] : []));
  const folders = new Set(states.flatMap((plan) => plan.states.flatMap(({ folder_id }) => folder_id ?? [])));
  return sql`
    (SELECT count(*) FROM json_each(${JSON.stringify(versions)}) AS read CROSS JOIN documents AS d
      ON d.id = read.value ->> 0 AND d.owner = ${ctx.owner} AND d.version = read.value ->> 1
      AND d.trashed_at IS NULL) = ${versions.length}
    AND (SELECT count(*) FROM folders AS f
      WHERE f.owner = ${ctx.owner} AND f.id ${inList(folders)}) = ${folders.size}`;
}

/** The statements that bring one document through all of its states, where `when` holds. */
async function planStatements(ctx: Ctx, [id, plan]: [string, Plan], origin: Origin, when: SQL) {
  const last = plan.states.at(-1);
  const [first, ...later] = plan.states;
  const created = plan.before === undefined && first ? [insertStatement(ctx, first, origin, when)] : [];
  const changes = (plan.before ? plan.states : later).flatMap((state) => [
    ...keepStatements(ctx, sql`documents.id = ${id} AND ${when}`),
    rowStatement(ctx, state, origin, when),
  ]);
  const details = last && !plan.trashed ? await detailStatements(ctx, last, when) : [];
  const trashed = plan.trashed ? trashStatements(ctx, id, when) : [];
  return [...created, ...changes, ...details, ...trashed];
}

/**
 * Writes what was planned, all of it in one transaction, if nothing has changed since it was planned; says what
 * the request answers, or undefined. The claim on the key is what every statement asks for: no statement can hold
 * while another does not, although the rows that the condition is about change on the way.
 */
async function write(
  ctx: Ctx,
  plans: Map<string, Plan>,
  answer: string,
  origin: Origin,
): Promise<string | undefined> {
  const own = origin.once ?? (await idempotencyOf("bulk", uuid(), null));
  const { claim, stored, mine } = onceStatements(ctx, own, answer, isStillSo(ctx, plans));
  const each = await Promise.all([...plans].map((plan) => planStatements(ctx, plan, origin, mine)));
  const forget = sql`DELETE FROM idempotency_keys
    WHERE owner = ${ctx.owner} AND route = ${own.route} AND key = ${own.key}`;
  const [, [row]] = await ctx.db.batch([
    claim,
    stored,
    ...each.flat(),
    ...(origin.once ? [] : [ctx.db.run(forget)]),
  ]);
  return storedAnswer(own, row);
}

/** What a dry run answers: no document has been made, so none has an id. */
const hypothetical = (operations: Operations, results: DocumentBulkAnswer["results"]) =>
  results.map(({ id, ...result }) => {
    const isNew = operations[result.index]?.operation === "create";
    return isNew || id === undefined ? result : { ...result, id };
  });

/**
 * Carries out up to 100 operations in order, each with its own result; one that cannot be done does not undo the
 * others. What can be done is one transaction: one batch that reads, one that writes. A dry run answers the same and
 * writes nothing.
 */
export async function bulkDocuments(
  ctx: Ctx,
  { operations, dry_run }: DocumentBulkRequest,
  origin: Origin,
): Promise<DocumentBulkAnswer> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const { found, answer } = await find(ctx, operations, origin.once);
    if (answer !== undefined) return JSON.parse(answer) as DocumentBulkAnswer;
    const make = (input: Extract<BulkOperation, { operation: "create" }>) =>
      newRow(ctx, input, origin.source_type);
    const planned = planBulk(operations, found, make, ctx.now.toISOString());
    const results = dry_run ? hypothetical(operations, planned.results) : planned.results;
    const succeeded = results.filter(({ ok }) => ok).length;
    const summary = { results, succeeded, failed: results.length - succeeded, dry_run };
    if (dry_run) return summary;
    const written = await write(ctx, planned.plans, JSON.stringify(summary), origin);
    if (written !== undefined) return JSON.parse(written) as DocumentBulkAnswer;
  }
  throw unavailable("Too many changes of these documents at once: try again");
}
