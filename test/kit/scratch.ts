import { accessSync, constants, statfsSync } from "node:fs";

const MEMORY = "/dev/shm";
const NEEDED_BYTES = 2e9;

/** Whether a folder can be written to and has so many bytes left. */
function hasRoom(folder: string, bytes: number): boolean {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= bytes;
  } catch {
    return false;
  }
}

/**
 * Temporary files go to memory where there is room, unless TMPDIR says otherwise. Each test creates and deletes databases,
 * and waits for the disk three times as long as it computes.
 */
export function keepScratchInMemory(): void {
  if (process.env.TMPDIR === undefined && hasRoom(MEMORY, NEEDED_BYTES)) process.env.TMPDIR = MEMORY;
}
