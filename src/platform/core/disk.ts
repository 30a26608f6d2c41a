// The disk of a self-hosted copy. `npm start` watches it (scripts/start/disk.ts) and sends its state with every request. The
// runtime reports a full disk only as "internal error", and closes the database after a failed write, so that reads fail
// too. Writes are therefore not sent while the disk is full.

let state: string | undefined;

/** Whether `npm start` has reported a full disk; always false elsewhere. */
export const isDiskFull = (): boolean => state === "full";

/** Whether the disk is failing. Errors are not transient then. */
export const isDiskFailing = (): boolean => state === "failing";

/** `reported` is `full`, `failing`, or undefined for a healthy disk. */
export function setDiskState(reported: string | undefined): void {
  state = reported;
}
