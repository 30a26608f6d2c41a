import {
  deferredIndexStatements,
  indexStatementsInSteps,
  MAX_INDEXED_INLINE,
  markWaitingStatement,
  newWaitingTicket,
} from "../../engine/index.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { groupBySize } from "../../platform/core/group-by-size.ts";
import type { BatchItem } from "../../platform/core/statement.ts";
import { catchRefusal, sendBatch } from "../../platform/db/call.ts";
import { withRest } from "../../platform/queue/yielding.ts";
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
export type DocumentIndexing = {
  statements: (row: IndexableDocument) => Promise<readonly BatchItem[]>;
  finish: () => Promise<void>;
};

export function newDocumentIndexing(ctx: Ctx): DocumentIndexing {
  let room = MAX_INDEXED_INLINE;
  const ticket = newWaitingTicket();
  const waiting: SearchEntry[] = [];
  return {
    statements: async (row) => {
      const entry = searchEntry(row);
      room -= entry.text.length;
      if (room >= 0) return indexStatementsInSteps(ctx, entry);
      waiting.push(entry);
      return [markWaitingStatement(ctx, entry, ticket)];
    },
    finish: async () => {
      for (const some of groupBySize(waiting, ({ text }) => text.length, MAX_INDEXED_INLINE)) {
        const each: Awaited<ReturnType<typeof deferredIndexStatements>>[] = [];
        for (const entry of some) each.push(await deferredIndexStatements(ctx, entry, ticket));
        // The documents are stored. A shard migration, which rejects this write, indexes them in the new shard.
        await withRest(() => catchRefusal(sendBatch(ctx, each.flat()), "moving"));
      }
    },
  };
}
