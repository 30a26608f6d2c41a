import { randomFillSync } from "node:crypto";
import { closeSync, openSync, rmSync, statfsSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { wayBack } from "../common/state-problems.ts";
import type { WriteLogs } from "./write-logs.ts";

// The disk of the state folder. The runtime closes a database over each write that finds no room, and even a read writes
// a page. So changes are refused before the disk is quite full, the logs with those pages are as large as they will be
// (write-logs.ts), and for all else the runtime gets the room of a file that was kept for this.

const MB = 1_000_000;

/** With less, the disk counts as full: what is under way still has to be written. */
const LOW_BYTES = 4 * MB;
/** A database can grow by 4 MB when its log is moved into it, and opening one takes 40 kB. */
const RESERVE_BYTES = 8 * MB;
/** For changes to be carried out again: more than `LOW_BYTES`, or it would go back and forth. */
const NEEDED_BYTES = LOW_BYTES + RESERVE_BYTES + MB;

const LOOK_MS = 250;
/** How often it is tried whether there is room: with a quota, only the attempt tells. */
const TRY_MS = 2000;
const LOG_MS = 60_000;

/** What the runtime says of the disk: SQLite's result, and the words around it. */
export type DiskReport = { word: string; said: string };

/** What the Worker is told with each request; undefined while all is well. */
export type DiskState = "full" | "failing" | undefined;

const reserveIn = (stateDir: string) => join(stateDir, "reserve");

/** The bytes that can still be written; infinite where the file system does not tell. */
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
    // Of zeros, a file system that compresses would keep none.
    const bytes = randomFillSync(Buffer.alloc(MB));
    for (let written = 0; written < RESERVE_BYTES; ) written += writeSync(handle, bytes);
  } finally {
    closeSync(handle);
  }
}

const inMB = (bytes: number) => `${Math.floor(bytes / MB)} MB`;

export class Disk {
  private readonly folder: string;
  private logs: Pick<WriteLogs, "empty"> | undefined;
  private readonly printed = new Map<string, number>();
  private isFull = false;
  private failedAt = Number.NEGATIVE_INFINITY;
  private triedAt = Number.NEGATIVE_INFINITY;

  /** The disk of a state folder, which exists. Keeps room there, or gives what was kept if the disk is full. */
  constructor(stateDir: string) {
    this.folder = stateDir;
    const kept = statSync(reserveIn(stateDir), { throwIfNoEntry: false });
    const free = freeBytes(stateDir) + (kept?.size ?? 0);
    if (free < LOW_BYTES + RESERVE_BYTES) this.begin();
    else if ((kept?.size ?? 0) < RESERVE_BYTES) this.keep();
  }

  /** Takes the logs to empty when the disk gets full. */
  protect(logs: Pick<WriteLogs, "empty">): void {
    this.logs = logs;
  }

  get state(): DiskState {
    if (this.isFull) return "full";
    return Date.now() - this.failedAt < LOG_MS ? "failing" : undefined;
  }

  /** Whether so many bytes can be stored. */
  hasRoomFor(bytes: number): boolean {
    return !this.isFull && freeBytes(this.folder) - bytes >= LOW_BYTES;
  }

  /** Looks after the disk until the process ends. `onChange` is called whenever `state` has changed. */
  watch(onChange: () => void): void {
    let told: DiskState;
    const look = () => {
      this.look();
      if (this.state === told) return;
      told = this.state;
      onChange();
    };
    setInterval(look, LOOK_MS);
    look();
  }

  /** Takes what the runtime says. What it says a hundred times is printed once a minute. */
  heed({ word, said }: DiskReport): void {
    if (word === "FULL") {
      this.triedAt = Date.now();
      this.begin();
    }
    // Without room, SQLite's shared memory fails in this way too.
    if (this.isFull) return;
    if (word === "IOERR") this.failedAt = Date.now();
    const line =
      word === "IOERR"
        ? `The disk of ${this.folder} fails. Look at the log of the system, and back up to another disk`
        : `A database in ${this.folder} is damaged. ${wayBack()}`;
    this.print(word, `${line}. The runtime said: ${said}`);
  }

  private look(): void {
    const free = freeBytes(this.folder);
    if (!this.isFull && free < LOW_BYTES) this.begin();
    if (!this.isFull) return;
    if (free >= NEEDED_BYTES && Date.now() - this.triedAt >= TRY_MS && this.keep()) {
      this.print("ROOM", `There is room on the disk of ${this.folder} again: changes are carried out`);
      return;
    }
    this.print(
      "FULL",
      `The disk of ${this.folder} is full (${inMB(free)} left): what only reads works, changes are refused. ` +
        `Make room: ${inMB(NEEDED_BYTES)} have to be free. It then goes on by itself`,
    );
  }

  private begin(): void {
    const isNew = !this.isFull;
    this.isFull = true;
    rmSync(reserveIn(this.folder), { force: true });
    // At once, before something else takes that room.
    if (isNew) this.logs?.empty();
  }

  /** Keeps room for the runtime; false, and the disk is full, if there is not enough. */
  private keep(): boolean {
    this.triedAt = Date.now();
    try {
      writeReserve(reserveIn(this.folder));
      this.isFull = freeBytes(this.folder) < LOW_BYTES;
    } catch {
      this.isFull = true;
    }
    if (this.isFull) this.begin();
    return !this.isFull;
  }

  /** Prints a line of a kind, at most once a minute. */
  private print(kind: string, line: string): void {
    const last = this.printed.get(kind) ?? Number.NEGATIVE_INFINITY;
    if (Date.now() - last < LOG_MS) return;
    this.printed.set(kind, Date.now());
    console.error(`${line}.`);
  }
}
