import { randomFillSync } from "node:crypto";
import { closeSync, openSync, rmSync, statfsSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { recoveryHint } from "../common/state-problems.ts";
import type { WriteLogs } from "./write-logs.ts";

// The disk of the state folder. The runtime closes a database when a write finds no space, and even a read writes a
// page. So changes are rejected before the disk is completely full, the write-ahead logs have their final size from the start
// (write-logs.ts), and a reserve file is deleted to give the runtime space for everything else.

const MB = 1_000_000;

/** With less, the disk counts as full: requests in progress still have to be written. */
const LOW_BYTES = 4 * MB;
/** The size of the reserve file. A database grows by up to 4 MB at a checkpoint, and opening one takes 40 kB. */
const RESERVE_BYTES = 8 * MB;
/** Changes are accepted again from here: more than `LOW_BYTES`, so that the state does not flap. */
const RESUME_BYTES = LOW_BYTES + RESERVE_BYTES + MB;

const CHECK_INTERVAL_MS = 250;
/** How often to try to write the reserve: with a quota, only an attempt shows whether there is space. */
const RETRY_INTERVAL_MS = 2000;
const LOG_INTERVAL_MS = 60_000;
/** How long after an error the disk counts as failing. */
const FAILING_MS = 60_000;

/** A line of the runtime about the disk, and SQLite's result code in it without `SQLITE_`, such as `FULL`. */
export type DiskReport = { code: string; line: string };

/** The state that the Worker gets with each request; undefined while the disk works. */
export type DiskState = "full" | "failing" | undefined;

const reserveFile = (stateDir: string) => join(stateDir, "reserve");

/** The bytes that can still be written; infinite if the file system does not report it. */
function freeBytes(folder: string): number {
  try {
    const { bavail, bsize, blocks, ffree, files } = statfsSync(folder);
    if (blocks === 0) return Number.POSITIVE_INFINITY;
    return files > 0 && ffree === 0 ? 0 : bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function writeReserve(file: string): void {
  const handle = openSync(file, "w", 0o600);
  try {
    // Random, because a compressing file system would not store zeros.
    const bytes = randomFillSync(Buffer.alloc(MB));
    for (let written = 0; written < RESERVE_BYTES; ) written += writeSync(handle, bytes);
  } finally {
    closeSync(handle);
  }
}

const formatMB = (bytes: number) => `${Math.floor(bytes / MB)} MB`;

export class StateDisk {
  private readonly folder: string;
  private writeLogs: Pick<WriteLogs, "checkpoint"> | undefined;
  private readonly printed = new Map<string, number>();
  private isFull = false;
  private failedAt = Number.NEGATIVE_INFINITY;
  private triedAt = Number.NEGATIVE_INFINITY;

  /** The state folder must exist. Writes the reserve file, or deletes it if the disk is full. */
  constructor(stateDir: string) {
    this.folder = stateDir;
    const reserve = statSync(reserveFile(stateDir), { throwIfNoEntry: false });
    const free = freeBytes(stateDir) + (reserve?.size ?? 0);
    if (free < LOW_BYTES + RESERVE_BYTES) this.markFull();
    else if ((reserve?.size ?? 0) < RESERVE_BYTES) this.restoreReserve();
  }

  /** Sets the write-ahead logs, which are checkpointed when the disk gets full. */
  setWriteLogs(logs: Pick<WriteLogs, "checkpoint">): void {
    this.writeLogs = logs;
  }

  get state(): DiskState {
    if (this.isFull) return "full";
    return Date.now() - this.failedAt < FAILING_MS ? "failing" : undefined;
  }

  hasRoomFor(bytes: number): boolean {
    return !this.isFull && freeBytes(this.folder) - bytes >= LOW_BYTES;
  }

  /** Watches the disk until the process ends. `onChange` is called whenever `state` has changed. */
  watch(onChange: () => void): void {
    let reportedState: DiskState;
    const check = () => {
      this.checkSpace();
      if (this.state === reportedState) return;
      reportedState = this.state;
      onChange();
    };
    setInterval(check, CHECK_INTERVAL_MS);
    check();
  }

  /** Handles a line of the runtime. Repeated lines are printed once a minute. */
  handleReport({ code, line }: DiskReport): void {
    if (code === "FULL") {
      this.triedAt = Date.now();
      this.markFull();
    }
    // On a full disk, SQLite's shared memory fails with IOERR too.
    if (this.isFull) return;
    if (code === "IOERR") this.failedAt = Date.now();
    const problem =
      code === "IOERR"
        ? `The disk of ${this.folder} reports errors. Check the system log, and back up to another disk`
        : `A database in ${this.folder} is damaged. ${recoveryHint()}`;
    this.printThrottled(code, `${problem}. The runtime said: ${line}`);
  }

  private checkSpace(): void {
    const free = freeBytes(this.folder);
    if (!this.isFull && free < LOW_BYTES) this.markFull();
    if (!this.isFull) return;
    if (free >= RESUME_BYTES && Date.now() - this.triedAt >= RETRY_INTERVAL_MS && this.restoreReserve()) {
      this.printThrottled("ROOM", `There is space on the disk of ${this.folder} again: changes are accepted`);
      return;
    }
    this.printThrottled(
      "FULL",
      `The disk of ${this.folder} is full (${formatMB(free)} left): reading works, changes are rejected. ` +
        `Free at least ${formatMB(RESUME_BYTES)}: changes are then accepted again without a restart`,
    );
  }

  private markFull(): void {
    const isNew = !this.isFull;
    this.isFull = true;
    rmSync(reserveFile(this.folder), { force: true });
    // Immediately, before something else takes the space.
    if (isNew) this.writeLogs?.checkpoint();
  }

  /** Writes the reserve file. Returns false, and marks the disk as full, if there is not enough space. */
  private restoreReserve(): boolean {
    this.triedAt = Date.now();
    try {
      writeReserve(reserveFile(this.folder));
      this.isFull = freeBytes(this.folder) < LOW_BYTES;
    } catch {
      this.isFull = true;
    }
    if (this.isFull) this.markFull();
    return !this.isFull;
  }

  private printThrottled(kind: string, line: string): void {
    const last = this.printed.get(kind) ?? Number.NEGATIVE_INFINITY;
    if (Date.now() - last < LOG_INTERVAL_MS) return;
    this.printed.set(kind, Date.now());
    console.error(`${line}.`);
  }
}
