import { env } from "cloudflare:workers";

/** A transaction that was sent to the database. */
export type Transaction = {
  statements: string[];
  /** The bytes of words that it writes to the search index. */
  indexed: number;
};

type Watched = { inner: D1PreparedStatement; query: string; values: unknown[] };

const watch = (inner: D1PreparedStatement, query: string, values: unknown[]): D1PreparedStatement =>
  ({
    ...{ inner, query, values },
    bind: (...bound: unknown[]) => watch(inner.bind(...bound), query, bound),
  }) as unknown as D1PreparedStatement;

const bytesOf = ({ query, values }: Watched) =>
  /INTO search_index \(rowid/.test(query)
    ? values.reduce<number>((sum, value) => sum + String(value).length, 0)
    : 0;

/**
 * The database, with a list of the transactions that were sent to it.
 *
 * @param ahead called before each; throws to interrupt the request there
 */
export function watchedDatabase(ahead: (next: Transaction) => void | Promise<void> = () => undefined) {
  const transactions: Transaction[] = [];
  const withSession = (constraint?: string) => {
    const session = env.DB.withSession(constraint);
    return {
      prepare: (query: string) => watch(session.prepare(query), query, []),
      getBookmark: () => session.getBookmark(),
      batch: async (statements: Watched[]) => {
        const indexed = statements.reduce((sum, statement) => sum + bytesOf(statement), 0);
        const next = { statements: statements.map(({ query }) => query), indexed };
        await ahead(next);
        transactions.push(next);
        return session.batch(statements.map(({ inner }) => inner));
      },
    };
  };
  return { db: { withSession } as unknown as D1Database, transactions };
}
