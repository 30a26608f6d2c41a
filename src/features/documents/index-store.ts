import type { BatchItem } from "drizzle-orm/batch";
import {
  INDEXED_AT_ONCE,
  lateIndexStatements,
  longIndexStatements,
  newTicket,
  waitingStatement,
} from "../../engine/index.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { inGroups } from "../../platform/core/groups.ts";
import { send, unless } from "../../platform/db/call.ts";
import { withRest } from "../../platform/turns/fair.ts";
import { documentEntry } from "../indexed/entry.ts";

// While D1 indexes a long text, all other requests wait. So a transaction indexes a limited amount, and the other entries
// are indexed after it. The cron handler completes what was interrupted.

type IndexableDocument = Parameters<typeof documentEntry>[0] & { id: string };

const searchEntry = (row: IndexableDocument) => ({
  ...({ kind: "document", record: row.id } as const),
  ...documentEntry(row),
});
type SearchEntry = ReturnType<typeof searchEntry>;

/** Indexes the documents of one transaction: `statements` as far as the limit allows, `finish` the rest. */
export type Indexing = {
  statements: (row: IndexableDocument) => Promise<readonly BatchItem<"sqlite">[]>;
  finish: () => Promise<void>;
};

export function newIndexing(ctx: Ctx): Indexing {
  let room = INDEXED_AT_ONCE;
  const ticket = newTicket();
  const waiting: SearchEntry[] = [];
  return {
    statements: async (row) => {
      const entry = searchEntry(row);
      room -= entry.text.length;
      if (room >= 0) return longIndexStatements(ctx, entry);
      waiting.push(entry);
      return [waitingStatement(ctx, entry, ticket)];
    },
    finish: async () => {
      for (const some of inGroups(waiting, ({ text }) => text.length, INDEXED_AT_ONCE)) {
        const each: Awaited<ReturnType<typeof lateIndexStatements>>[] = [];
        for (const entry of some) each.push(await lateIndexStatements(ctx, entry, ticket));
        // The documents are stored. A shard migration, which rejects this write, indexes them in the new shard.
        await withRest(() => unless(send(ctx, each.flat()), "moving"));
      }
    },
  };
}
