import { DatabaseSync } from "node:sqlite";

// Each read of local D1 writes a page into its write-ahead log (https://www.sqlite.org/wal.html), which begins anew after a
// thousand pages and is never made smaller while somebody has it open. So it is made that large before the runtime starts,
// and then needs no room.

/** 5 MB, with a page of SQLite's memory at a time. */
const ENLARGE = "INSERT INTO enlarged VALUES (zeroblob(1000000));".repeat(5);

export class WriteLogs {
  private readonly databases: DatabaseSync[];

  /** Opens these databases, so that their logs stay as they are whoever closes them. */
  constructor(files: string[]) {
    this.databases = files.map((file) => new DatabaseSync(file));
    for (const database of this.databases) {
      try {
        database.exec("PRAGMA journal_mode = WAL; PRAGMA cache_size = 1");
        database.exec(`BEGIN; CREATE TABLE enlarged (log BLOB); ${ENLARGE} ROLLBACK`);
      } catch {
        // There is no room. SQLite has rolled back.
      }
    }
  }

  /** Moves into the databases what only their logs have: these begin anew with the next change, or (`TRUNCATE`) shrink. */
  empty(how: "PASSIVE" | "TRUNCATE" = "PASSIVE"): void {
    for (const database of this.databases) {
      try {
        database.exec(`PRAGMA wal_checkpoint(${how})`);
      } catch {
        // The next one that finds room does it.
      }
    }
  }

  close(): void {
    this.empty("TRUNCATE");
    for (const database of this.databases.splice(0)) database.close();
  }
}
