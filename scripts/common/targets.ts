import { DatabaseSync } from "node:sqlite";
import { type Operator, operatorOf } from "./operator.ts";
import type { Row, Statement, Target } from "./source.ts";
import { copyUsing } from "./state.ts";

// The databases of a copy on this machine, running or stopped.

type Batch = Target["batch"];

const createDatabase = (batch: Batch, close: () => void): Target => ({
  query: async (sql, params = []) => (await batch([{ sql, params }]))[0] ?? [],
  batch,
  close,
});

/** A database of a stopped copy, by its file. */
export function stoppedTarget(file: string): Target {
  const database = new DatabaseSync(file);
  const run = ({ sql, params }: Statement) => database.prepare(sql).all(...params) as Row[];
  const batch: Batch = async (statements) => {
    database.exec("BEGIN IMMEDIATE");
    try {
      const rows = statements.map(run);
      database.exec("COMMIT");
      return rows;
    } catch (problem) {
      database.exec("ROLLBACK");
      throw problem;
    }
  };
  return createDatabase(batch, () => database.close());
}

/** A database of a running copy, by its binding. */
export function runningTarget({ port, secret }: Operator, binding: string): Target {
  const batch: Batch = async (statements) => {
    const response = await fetch(`http://127.0.0.1:${port}/${binding}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${secret}` },
      body: JSON.stringify(statements),
    });
    if (!response.ok) throw new Error(`The running copy answered ${response.status}`);
    const { results, error } = (await response.json()) as { results: Row[][]; error?: string };
    if (error) throw new Error(error);
    return results;
  };
  return createDatabase(batch, () => undefined);
}

const isAnswering = (target: Target) =>
  target.query("SELECT 1").then(
    () => true,
    (problem: Error) => {
      // Nothing listens on the port: the copy was killed.
      if (problem.cause instanceof Error) return false;
      throw problem;
    },
  );

/** The running copy that uses a state folder, if any. Throws while it is starting. */
export async function runningCopy(stateDir: string): Promise<Operator | undefined> {
  const operator = operatorOf(stateDir);
  if (operator) return (await isAnswering(runningTarget(operator, "DB"))) ? operator : undefined;
  const usingCopy = copyUsing(stateDir);
  if (!usingCopy) return undefined;
  const startingText = "is starting: try again in a moment";
  const devText =
    "is `npm run dev`, which accepts no commands: stop it with Ctrl-C, then run this command again";
  throw new Error(
    `The copy that uses ${stateDir} ${usingCopy.command === "npm run dev" ? devText : startingText}`,
  );
}
