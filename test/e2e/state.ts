import { DatabaseSync } from "node:sqlite";
import { requireDatabaseFile } from "../../scripts/common/local-database.ts";

/** The service's own database, while the service is not running. */
export function openState(stateDir: string): DatabaseSync {
  // The port closes a moment before the process that has the file open ends.
  return new DatabaseSync(requireDatabaseFile(stateDir), { timeout: 30_000 });
}
