import { DatabaseSync } from "node:sqlite";

// Each read of local D1 writes a page into the write-ahead log (https://www.sqlite.org/wal.html). The log starts over
// after a thousand pages and does not shrink while a connection is open. So it is enlarged to that size before the
// runtime starts, and reads then need no disk space.

/** Writes 5 MB; `cache_size = 1` keeps them out of memory. */
const ENLARGE = "INSERT INTO enlarged VALUES (zeroblob(1000000));".repeat(5);

export class WriteLogs {
  private readonly databases: DatabaseSync[];

  /** Opens these databases, so that their logs do not shrink when another connection closes. */
  constructor(files: string[]) {
    this.databases = files.map((file) => new DatabaseSync(file));
    for (const database of this.databases) {
      try {
        database.exec("PRAGMA journal_mode = WAL; PRAGMA cache_size = 1");
        database.exec(`BEGIN; CREATE TABLE enlarged (log BLOB); ${ENLARGE} ROLLBACK`);
      } catch {
        // There is no space. SQLite has rolled back.
      }
    }
  }

  /** Moves the logs' content into the databases. The logs start over with the next change; `TRUNCATE` shrinks them. */
  checkpoint(mode: "PASSIVE" | "TRUNCATE" = "PASSIVE"): void {
    for (const database of this.databases) {
      try {
        database.exec(`PRAGMA wal_checkpoint(${mode})`);
      } catch {
        // A later checkpoint that finds space does it.
      }
    }
  }

  close(): void {
    this.checkpoint("TRUNCATE");
    for (const database of this.databases.splice(0)) database.close();
  }
}
