import { DatabaseSync } from "node:sqlite";
import type { SqlRow, TextStatement, WritableDatabase } from "./local-database.ts";
import { callOperator, type OperatorEndpoint, readOperatorFile } from "./operator.ts";
import { findCopyUsing } from "./state.ts";

// The databases of a copy on this machine, running or stopped.

type Batch = WritableDatabase["batch"];

const createDatabase = (batch: Batch, close: () => void): WritableDatabase => ({
  query: async (sql, params = []) => (await batch([{ sql, params }]))[0] ?? [],
  batch,
  close,
});

/** A database of a stopped copy, by its file. */
export function openStoppedDatabase(file: string): WritableDatabase {
  const database = new DatabaseSync(file);
  const run = ({ sql, params }: TextStatement) => database.prepare(sql).all(...params) as SqlRow[];
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
export function openRunningDatabase(operator: OperatorEndpoint, binding: string): WritableDatabase {
  const batch: Batch = async (statements) => {
    const body = JSON.stringify(statements);
    const response = await callOperator(operator, binding, { method: "POST", body });
    if (!response.ok) throw new Error(`The running copy answered ${response.status}`);
    const { results, error } = (await response.json()) as { results: SqlRow[][]; error?: string };
    if (error) throw new Error(error);
    return results;
  };
  return createDatabase(batch, () => undefined);
}

const isAnswering = (target: WritableDatabase) =>
  target.query("SELECT 1").then(
    () => true,
    (problem: Error) => {
      // Nothing listens on the port: the copy was killed.
      if (problem.cause instanceof Error) return false;
      throw problem;
    },
  );

/** The running copy that uses a state folder, if any. Throws while it is starting. */
export async function findRunningOperator(stateDir: string): Promise<OperatorEndpoint | undefined> {
  const operator = readOperatorFile(stateDir);
  if (operator) return (await isAnswering(openRunningDatabase(operator, "DB"))) ? operator : undefined;
  const usingCopy = findCopyUsing(stateDir);
  if (!usingCopy) return undefined;
  const startingText = "is starting: try again in a moment";
  const devText =
    "is `npm run dev`, which accepts no commands: stop it with Ctrl-C, then run this command again";
  throw new Error(
    `The copy that uses ${stateDir} ${usingCopy.command === "npm run dev" ? devText : startingText}`,
  );
}
