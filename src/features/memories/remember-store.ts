import { type SQL, sql } from "drizzle-orm";
import type { Memory, MemoryCreateRequest } from "../../contract/memory.ts";
import { sameBodyKeys, sameTextKeys, similarTitleKeys } from "../../engine/index.ts";
import { createdIds } from "../../platform/activity/store.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { retryUntilWritten } from "../../platform/core/retry.ts";
import { assertInBatch, catchRefusal, sendRecoverable } from "../../platform/db/call.ts";
import { memories } from "../../platform/db/tables.ts";
import {
  currentColumns,
  type MemoryWriter,
  type NewMemoryRow,
  NOT_TRASHED,
  presentMemory,
  userClock,
} from "./row-store.ts";
import { areSimilarTopics, significantWords } from "./similar-topics.ts";
import { addMemoryStatements, newPlannedRow, presentNewMemory } from "./store.ts";

type SimilarMemory = Pick<Memory, "id" | "topic"> & { why: string };

/** A new record with similar ones, or the existing record that is identical (`isNew` false). */
export type RememberResult = { memory: Memory; isNew: boolean; similar: SimilarMemory[] };

/** SQL: open records of the caller that equal the new row in every field of the input except `created_at`. */
function isIdentical(ctx: Ctx, input: MemoryCreateRequest, row: NewMemoryRow): SQL {
  const { topic, created_at: _, ...givenFields } = input;
  const given = Object.entries(givenFields).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, row[name as keyof typeof givenFields]]],
  ) as [keyof typeof givenFields, unknown][];
  const alike = sameTextKeys(ctx, "memory", { title: topic, body: input.content });
  const conditions = [
    sql`owner = ${ctx.owner} AND topic = ${topic} AND status IN ('active', 'deferred') AND ${NOT_TRASHED}`,
    ...(alike ? [sql`id IN (SELECT CAST(record AS INTEGER) FROM (${alike}))`] : []),
    ...given.map(([name, value]) => sql`${memories[name]} IS ${sql.param(value, memories[name])}`),
  ];
  return sql.join(conditions, sql` AND `);
}

const MAX_SIMILAR = 3;
const MAX_COMPARED = 30;

const MAX_SAME_CONTENT = 10;

type Candidate = Pick<Memory, "id" | "topic"> & { same_content: number; rank: number };

/** The open records that may be similar: same content apart from case and punctuation, or a similar topic. */
function candidatesStatement(ctx: Ctx, { topic, content }: MemoryCreateRequest) {
  const requested = { titleWords: significantWords(topic), limit: MAX_COMPARED };
  const near = similarTitleKeys(ctx, "memory", requested) ?? sql`SELECT NULL AS record, 0 AS rank`;
  const same = sameBodyKeys(ctx, "memory", { body: content, limit: MAX_SAME_CONTENT });
  const isSame =
    content.length > FULLY_COMPARED_LENGTH
      ? sql`lower(trim(m.content)) = lower(trim(${content}))`
      : sql`abs(length(m.content) - length(${content})) <= ${LENGTH_TOLERANCE}`;
  const open = sql`m.status IN ('active', 'deferred') AND m.trashed_at IS NULL`;
  return ctx.db.all<Candidate>(sql`
    SELECT m.id, m.topic, 1 AS same_content, 0 AS rank FROM (${same ?? sql`SELECT NULL AS record`}) AS same
      CROSS JOIN memories AS m ON m.owner = ${ctx.owner} AND m.id = CAST(same.record AS INTEGER)
    WHERE ${open} AND ${isSame}
    UNION ALL
    SELECT m.id, m.topic, 0, near.rank FROM (${near}) AS near
      CROSS JOIN memories AS m ON m.owner = ${ctx.owner} AND m.id = CAST(near.record AS INTEGER)
    WHERE ${open}`);
}

/** Up to this length the index compares all words of a content; its length may differ by LENGTH_TOLERANCE. */
const FULLY_COMPARED_LENGTH = 100;
const LENGTH_TOLERANCE = 3;

function similarRecords(found: readonly Candidate[], topic: string): SimilarMemory[] {
  const near = found.toSorted((a, b) => a.rank - b.rank || b.id - a.id);
  const alike = near.filter((other) => areSimilarTopics(topic, other.topic));
  const same = near.filter((other) => other.same_content === 1);
  const reasonsFor = ({ id }: Candidate) => [
    ...(same.some((one) => one.id === id) ? ["same content"] : []),
    ...(alike.some((one) => one.id === id) ? ["similar topic"] : []),
  ];
  const all = new Map([...same, ...alike].map((one) => [one.id, one]));
  return [...all.values()]
    .slice(0, MAX_SIMILAR)
    .map((one) => ({ id: one.id, topic: one.topic, why: reasonsFor(one).join(", ") }));
}

/** Creates records in one transaction; undefined if one is identical to another record or the account is full. */
export async function rememberTogether(
  ctx: Ctx,
  inputs: MemoryCreateRequest[],
  writer: MemoryWriter,
): Promise<RememberResult[] | undefined> {
  const rows = await Promise.all(inputs.map((input) => newPlannedRow(ctx, input, writer)));
  const clock = rows.some(({ repeat }) => repeat !== null) ? await userClock(ctx) : undefined;
  const near = inputs.map((input) => candidatesStatement(ctx, input));
  const creations = inputs.flatMap((input, index) => {
    const row = rows[index] as (typeof rows)[number];
    return [
      assertInBatch(
        ctx,
        sql`NOT EXISTS (SELECT 1 FROM memories WHERE ${isIdentical(ctx, input, row)})`,
        "already-said",
      ),
      ...addMemoryStatements(ctx, row, writer),
    ];
  });
  const { ahead = [] } = writer;
  const batch = sendRecoverable(ctx, [...ahead, ...near, ...creations]);
  const { answer } = await (inputs.length > 1
    ? catchRefusal(batch, "already-said", "quota")
    : catchRefusal(batch, "already-said"));
  if (!answer) return undefined;
  // The similar records are missing if the answer of the batch was lost.
  const found = answer.results?.slice(ahead.length) as Candidate[][] | undefined;
  return createdIds(answer.entries).map((id, index) => {
    const row = rows[index] as NewMemoryRow;
    const memory = presentNewMemory(row, id, clock);
    return { memory, isNew: true, similar: similarRecords(found?.[index] ?? [], row.topic) };
  });
}

/** Creates an active record, or returns an identical open one. */
export const rememberMemory = (
  ctx: Ctx,
  input: MemoryCreateRequest,
  writer: MemoryWriter,
): Promise<RememberResult> =>
  retryUntilWritten("record", async () => {
    const [made] = (await rememberTogether(ctx, [input], writer)) ?? [];
    if (made) return made;
    const same = isIdentical(ctx, input, await newPlannedRow(ctx, input, writer));
    const [known] = await ctx.db
      .select(currentColumns(ctx))
      .from(memories)
      .where(same)
      .orderBy(memories.id)
      .limit(1);
    return known && { memory: presentMemory(known, await userClock(ctx)), isNew: false, similar: [] };
  });
