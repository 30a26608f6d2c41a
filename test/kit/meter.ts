/** A statement that ignores what is bound to it. */
const withoutEffect = (statement: D1PreparedStatement): D1PreparedStatement =>
  Object.assign(statement, { bind: () => statement });

/** What adds entries to the activity only reads them: a write finds the number of a new record there. */
const withoutInsert = (query: string) =>
  query.replace(/^\s*INSERT INTO activity \([^)]*\)/, "").replace(/RETURNING [^()]*$/, "");

/** One short text in four merges segments of the index, which is billed as a row (src/engine/merge.ts): which, is chance. */
export const MERGES = /'merge'/;

/** The batches and rows of a database session. */
type SessionMeter = { batches: number; rowsRead: number; rowsWritten: number };

/**
 * A session that counts its batches and rows, as D1 bills them.
 *
 * @param leftOut which statements are not carried out
 */
export function metered(
  session: D1DatabaseSession,
  leftOut: RegExp = /^$/,
): { session: D1DatabaseSession; meter: SessionMeter } {
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

/** The cost of a request in D1: the rows that are billed, and the number of calls. */
export type Meter = { rowsRead: number; rowsWritten: number; calls: number };

function count<Result extends D1Result>(meter: Meter, result: Result): Result {
  meter.rowsRead += result.meta.rows_read;
  meter.rowsWritten += result.meta.rows_written;
  return result;
}

type Metered = D1PreparedStatement & { inner: D1PreparedStatement };

function meterStatement(inner: D1PreparedStatement, text: string, meter: Meter): Metered {
  const called = <T>(result: T) => {
    meter.calls += 1;
    return result;
  };
  return {
    inner,
    bind: (...values: unknown[]) => meterStatement(inner.bind(...values), text, meter),
    all: async () => called(count(meter, await inner.all())),
    run: async () => called(count(meter, await inner.run())),
    // `raw` and `first` do not report their cost. A query can be sent twice; a write's rows come as objects.
    raw: async () => {
      const rows = count(meter, await inner.all<Record<string, unknown>>()).results;
      return called(
        /^\s*(select|with)/i.test(text) ? await inner.raw() : rows.map((row) => Object.values(row)),
      );
    },
    first: async (column?: string) => {
      const [row] = called(count(meter, await inner.all<Record<string, unknown>>())).results;
      return (column === undefined ? row : row?.[column]) ?? null;
    },
  } as unknown as Metered;
}

/** The query methods of a database; each batch, and each statement sent alone, counts as a call. */
const meterQueries = (asked: Pick<D1Database, "prepare" | "batch">, meter: Meter) => ({
  prepare: (text: string) => meterStatement(asked.prepare(text), text, meter),
  batch: async (statements: Metered[]) => {
    meter.calls += 1;
    const results = await asked.batch(statements.map(({ inner }) => inner));
    return results.map((result) => count(meter, result));
  },
});

/** A database that adds the cost of itself and its sessions to `meter`. */
export function meterDatabase(d1: D1Database, meter: Meter): D1Database {
  const withSession = (constraint?: string) => {
    const session = d1.withSession(constraint);
    return { ...meterQueries(session, meter), getBookmark: () => session.getBookmark() };
  };
  return { ...meterQueries(d1, meter), withSession } as unknown as D1Database;
}
