/** A statement that ignores what is bound to it. */
const withoutEffect = (statement: D1PreparedStatement): D1PreparedStatement =>
  Object.assign(statement, { bind: () => statement });

/** What adds entries to the activity only reads them: a write finds the number of a new record there. */
const withoutInsert = (query: string) =>
  query.replace(/^\s*INSERT INTO activity \([^)]*\)/, "").replace(/RETURNING [^()]*$/, "");

/** One short text in four merges segments of the index, which is billed as a row (src/engine/merge.ts): which, is chance. */
export const MERGES = /'merge'/;

/** The calls and rows of a database session. */
export type Meter = { batches: number; rowsRead: number; rowsWritten: number };

/**
 * A session that counts its batches and rows, as D1 bills them.
 *
 * @param leftOut which statements are not carried out
 */
export function metered(
  session: D1DatabaseSession,
  leftOut: RegExp = /^$/,
): { session: D1DatabaseSession; meter: Meter } {
  const meter = { batches: 0, rowsRead: 0, rowsWritten: 0 };
  const counting = {
    prepare: (query: string) => {
      if (!leftOut.test(query)) return session.prepare(query);
      const read = withoutInsert(query);
      return read === query ? withoutEffect(session.prepare("SELECT 1")) : session.prepare(read);
    },
    getBookmark: () => session.getBookmark(),
    batch: async <Row>(statements: D1PreparedStatement[]) => {
      const results = await session.batch<Row>(statements);
      meter.batches += 1;
      for (const { meta } of results) {
        meter.rowsRead += meta.rows_read;
        meter.rowsWritten += meta.rows_written;
      }
      return results;
    },
  };
  return { session: counting as D1DatabaseSession, meter };
}
