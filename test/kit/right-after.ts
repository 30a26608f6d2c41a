import { env } from "cloudflare:workers";
import { expect } from "vitest";

type Asking = D1PreparedStatement & { statement: string };

/** Runs something, and something else right after its first matching call of the database. */
export async function rightAfter<Result>(
  asked: string,
  happen: () => Promise<unknown>,
  run: () => Promise<Result>,
): Promise<Result> {
  const sessions = Object.getPrototypeOf(env.DB.withSession()) as D1DatabaseSession;
  const { batch } = sessions;
  let hasHappened = false;
  sessions.batch = async function <Row>(sent: D1PreparedStatement[]) {
    const results = await batch.call(this, sent);
    const isIt = (sent as Asking[]).some(({ statement }) => statement.includes(asked));
    if (isIt && !hasHappened) {
      hasHappened = true;
      await happen();
    }
    return results as D1Result<Row>[];
  };
  return run().finally(() => {
    sessions.batch = batch;
    expect(hasHappened).toBe(true);
  });
}
