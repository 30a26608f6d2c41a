import {
  accessSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MEMORY = "/dev/shm";
const NEEDED_BYTES = 2e9;

/** Names the folder of a run to everything that it starts. */
const MARK = "COMMONPLACE_TEST_RUN";

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

function isMarked(pid: string, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(mark);
  } catch {
    return false;
  }
}

/** Kills the processes that a run has started and that still run, in any process group. Linux only. */
function killRest(folder: string): void {
  const mark = `${MARK}=${folder}`;
  const all = process.platform === "linux" ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
  for (const pid of all.filter((one) => isMarked(one, mark))) {
    try {
      process.kill(Number(pid), "SIGKILL");
    } catch {
      // It has ended.
    }
  }
}

/** Claims a name for the rest of the run; false if it is taken. Outside of a run, every name is free. */
export function claim(name: string): boolean {
  const folder = process.env[MARK];
  if (folder === undefined) return true;
  try {
    mkdirSync(join(folder, name));
    return true;
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw problem;
  }
}

/**
 * Gives a run of tests its own folder for temporary files, in memory if there is room: tests create and delete databases,
 * and on a disk they wait three times as long as they compute. Unless the run is killed by SIGKILL, the folder is deleted at
 * its end, and processes that it has started are killed.
 */
export function ownRunFolder(): void {
  // A worker of this run reads the configuration as well.
  if (process.env[MARK] !== undefined) return;
  const above = process.env.TMPDIR ?? (hasRoom(MEMORY, NEEDED_BYTES) ? MEMORY : tmpdir());
  const folder = mkdtempSync(join(above, "commonplace-tests-"));
  process.env[MARK] = folder;
  process.env.TMPDIR = folder;
  process.once("exit", () => {
    killRest(folder);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => process.exit(130));
}
