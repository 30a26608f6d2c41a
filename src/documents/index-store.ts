import type { BatchItem } from "drizzle-orm/batch";
import type { Ctx } from "../platform/core/ctx.ts";
import { paced } from "../core/fair.ts";
import { inGroups } from "../platform/core/groups.ts";
import { send } from "../platform/db/call.ts";
import {
  INDEXED_AT_ONCE,
  lateIndexStatements,
  longIndexStatements,
  newTicket,
  waitingStatement,
} from "../engine/index-store.ts";
import { contentText } from "../contract/markdown/content-text.ts";
import type { DocumentRow } from "../contract/document.ts";

// While D1 indexes a long text, everybody else waits. Therefore a transaction indexes only so much text, and the search
// entries of its other documents wait until it is done. The cron handler writes what an interrupted request has left.

type Texts = Pick<DocumentRow, "id" | "title" | "tags" | "content">;

const entryOf = ({ id, title, tags, content }: Texts) => ({
  ...({ kind: "document", record: id } as const),
  ...{ title, tags, text: contentText(content) },
});
type Entry = ReturnType<typeof entryOf>;

/** The search entries of the documents that one transaction writes. */
export type Indexing = {
  /** The statements of a document that belong to the transaction. */
  statements: (row: Texts) => Promise<readonly BatchItem<"sqlite">[]>;
  /** Writes what is left, after the transaction. */
  finish: () => Promise<void>;
};

/** Divides the search entries of one transaction between it and what comes after it. */
export function newIndexing(ctx: Ctx): Indexing {
  let room = INDEXED_AT_ONCE;
  const ticket = newTicket();
  const waiting: Entry[] = [];
  return {
    statements: async (row) => {
      const entry = entryOf(row);
      room -= entry.text.length;
      if (room >= 0) return longIndexStatements(ctx, entry);
      waiting.push(entry);
      return [waitingStatement(ctx, entry, ticket)];
    },
    finish: async () => {
      for (const some of inGroups(waiting, ({ text }) => text.length, INDEXED_AT_ONCE)) {
        const each: Awaited<ReturnType<typeof lateIndexStatements>>[] = [];
        for (const entry of some) each.push(await lateIndexStatements(ctx, entry, ticket));
        await paced(() => send(ctx, each.flat()));
      }
    },
  };
}
