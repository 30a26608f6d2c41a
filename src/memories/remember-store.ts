import { type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { Ctx } from "../platform/core/ctx.ts";
import { untilWritten } from "../platform/core/retry.ts";
import { must, unless } from "../platform/db/call.ts";
import { memories } from "../db/tables.ts";
import { alikeKeys, nearKeys } from "../engine/index-store.ts";
import { areAlike, tellingWords } from "../features/memories/alike.ts";
import { clockOf, LIVING, mustOwnDocument, present, shown, type Writer } from "../features/memories/row-store.ts";
import type { Memory, MemoryCreateRequest } from "../contract/memory.ts";
import { creationStatements, mustHaveRoomFor, newRow, nextNumber, presentNew } from "../features/memories/store.ts";

// Creates records unless they are there already, and names those that are like them.

/** An open record whose topic is like that of a new one. */
export type Similar = Pick<Memory, "id" | "topic">;

/** What became of a record to remember: a new one with what is like it, or one that says exactly the same. */
export type Remembered = { memory: Memory; isNew: boolean; similar: Similar[] };

/** True in SQL for the caller's open records that equal the input in every field it gives, except `created_at`. */
function saysTheSame(ctx: Ctx, input: MemoryCreateRequest): SQL {
  const { topic, created_at: _, ...said } = input;
  const given = Object.entries(said).filter(([, value]) => value !== undefined) as [
    keyof typeof said,
    unknown,
  ][];
  const alike = alikeKeys(ctx, "memory", { title: topic, body: input.content });
  const conditions = [
    sql`owner = ${ctx.owner} AND topic = ${topic} AND status IN ('active', 'deferred') AND ${LIVING}`,
    ...(alike ? [sql`id IN (SELECT CAST(record AS INTEGER) FROM (${alike}))`] : []),
    ...given.map(([name, value]) => sql`${memories[name]} IS ${sql.param(value, memories[name])}`),
  ];
  return sql.join(conditions, sql` AND `);
}

const MAX_SIMILAR = 3;
/** How many records are compared, the nearest by the text index. */
const MAX_COMPARED = 30;

/** The statement that reads the open records that may be like a new one, the nearest first. */
function nearStatement(ctx: Ctx, { topic }: MemoryCreateRequest) {
  const asked = { titleWords: tellingWords(topic), limit: MAX_COMPARED };
  const near = nearKeys(ctx, "memory", asked) ?? sql`SELECT NULL AS record, 0 AS rank`;
  return ctx.db.all<Similar>(sql`
    SELECT m.id, m.topic FROM (${near}) AS near
      CROSS JOIN memories AS m ON m.owner = ${ctx.owner} AND m.id = CAST(near.record AS INTEGER)
    WHERE m.status IN ('active', 'deferred') AND m.trashed_at IS NULL ORDER BY near.rank, m.id DESC`);
}

const similarOf = (near: Similar[], topic: string) =>
  near.filter((other) => areAlike(topic, other.topic)).slice(0, MAX_SIMILAR);

type Batch = [BatchItem<"sqlite">, ...BatchItem<"sqlite">[]];

/**
 * Creates records in one transaction; undefined if one of them, or one before it, says the same already, or if there is no
 * room for all of several. Throws as `createMemory` does.
 */
export async function rememberTogether(
  ctx: Ctx,
  inputs: MemoryCreateRequest[],
  writer: Writer,
): Promise<Remembered[] | undefined> {
  const rows = inputs.map((input) => newRow(ctx, input, writer));
  const near = inputs.map((input) => nearStatement(ctx, input));
  const creations = inputs.map((input, index) => {
    const row = rows[index] as (typeof rows)[number];
    return [
      ctx.db.all<{ id: number }>(sql`SELECT ${nextNumber(ctx)} AS id`),
      must(ctx, sql`NOT EXISTS (SELECT 1 FROM memories WHERE ${saysTheSame(ctx, input)})`, "already-said"),
      ...mustHaveRoomFor(ctx, row),
      ...mustOwnDocument(ctx, row.document_id),
      ...creationStatements(ctx, row, writer),
    ];
  });
  const batch = ctx.db.batch([...near, ...creations.flat()] as Batch);
  const { answer } = await (inputs.length > 1
    ? unless(batch, "already-said", "quota")
    : unless(batch, "already-said"));
  const results = answer as unknown[] | undefined;
  if (!results) return undefined;
  let place = near.length;
  return rows.map((row, index) => {
    const [number] = results[place] as { id: number }[];
    place += creations[index]?.length ?? 0;
    const memory = { ...presentNew(row), id: number?.id ?? 0 };
    return { memory, isNew: true, similar: similarOf(results[index] as Similar[], row.topic) };
  });
}

/**
 * Creates an active record, or returns an open one that already says exactly the same. Throws as `createMemory` does.
 */
export const rememberMemory = (ctx: Ctx, input: MemoryCreateRequest, writer: Writer): Promise<Remembered> =>
  untilWritten("record", async () => {
    const [made] = (await rememberTogether(ctx, [input], writer)) ?? [];
    if (made) return made;
    const same = saysTheSame(ctx, input);
    const [known] = await ctx.db.select(shown(ctx)).from(memories).where(same).orderBy(memories.id).limit(1);
    return known && { memory: present(known, await clockOf(ctx)), isNew: false, similar: [] };
  });
