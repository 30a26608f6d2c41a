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
