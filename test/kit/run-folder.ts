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

/** Kills what a run has started and not ended, in whatever process group. Linux only. */
function killRest(folder: string): void {
  const mark = `${MARK}=${folder}`;
  const all = process.platform === "linux" ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
  for (const pid of all.filter((one) => isMarked(one, mark))) {
    try {
      process.kill(Number(pid), "SIGKILL");
    } catch {
      // It has ended by itself meanwhile.
    }
  }
}

/** Takes a name that nothing else of the run has; false if it is taken. Outside of a run, nobody competes. */
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
 * Gives a run of tests a folder of its own for temporary files: in memory where there is room, because each test creates
 * and deletes databases, and waits for the disk three times as long as it computes. However the run ends, other than by
 * SIGKILL, the folder is deleted and nothing that the run has started goes on.
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
