// The disk of a self-hosted copy. `npm start` looks after it (scripts/start/disk.ts) and says with every request how it is:
// the runtime says nothing better than "internal error", and closes a database over each write that finds no room, so that
// nothing can be read either. So nothing that writes is sent while the disk is full.

let state: string | undefined;

/** Whether there is no room for changes, as far as `npm start` has said; never elsewhere. */
export const isDiskFull = (): boolean => state === "full";

/** Whether the disk has just failed. What fails then does not pass. */
export const isDiskFailing = (): boolean => state === "failing";

/** `full`, `failing`, or undefined while all is well. */
export function noteDisk(told: string | undefined): void {
  state = told;
}
