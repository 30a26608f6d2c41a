import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { removeOperatorFile } from "./operator.ts";
import type { ServiceSettings } from "./settings.ts";
import { withExplainedProblems } from "./state-problems.ts";

/** The exclusive use of a state folder. `isAfterKill`: the previous copy was killed. */
export type StateClaim = { isAfterKill: boolean; release: () => void };

/** The commands that serve the data of a state folder. */
export type ServingCommand = "npm start" | "npm run dev" | "commonplace start";

type RunningMarker = { address: string; command: string; pid: string };

const markerFile = (stateDir: string) => join(stateDir, "running");

/** The copy that uses a state folder, or the last one if it was killed. */
function readMarker(stateDir: string): RunningMarker | undefined {
  try {
    const lines = readFileSync(markerFile(stateDir), "utf8").split("\n");
    const [address = "", command = "npm start", pid = "unknown"] = lines;
    return { address, command, pid };
  } catch {
    return undefined;
  }
}

/**
 * A lock that the system releases however this process ends; undefined while another process holds it. SQLite can lock
 * files like this, Node cannot.
 */
function lock(stateDir: string): DatabaseSync | undefined {
  const file = new DatabaseSync(join(stateDir, "lock"), { timeout: 0 });
  try {
    file.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return file;
  } catch {
    file.close();
    return undefined;
  }
}

/** The copy that uses a state folder now, if any. */
export function findCopyUsing(stateDir: string): RunningMarker | undefined {
  const marked = readMarker(stateDir);
  if (!marked) return undefined;
  const ownLock = lock(stateDir);
  ownLock?.close();
  return ownLock ? undefined : marked;
}

/** Marks the state folder as in use. Throws if another copy uses it: two of them would lose writes. */
export function claimState(
  { stateDir, apiUrl }: Pick<ServiceSettings, "stateDir" | "apiUrl">,
  command: ServingCommand,
): StateClaim {
  withExplainedProblems(stateDir, () => mkdirSync(stateDir, { recursive: true }));
  const held = withExplainedProblems(join(stateDir, "lock"), () => lock(stateDir));
  const marked = readMarker(stateDir);
  if (!held) {
    const { address, command: other, pid } = marked ?? { address: apiUrl, command: "it", pid: "unknown" };
    const usedBy = `A copy at ${address} already uses ${stateDir}: "${other}", process ${pid}.`;
    throw new Error(`${usedBy} Stop it with Ctrl-C, or choose another folder: STATE_DIR=… ${command}`);
  }
  try {
    removeOperatorFile(stateDir);
    withExplainedProblems(markerFile(stateDir), () =>
      writeFileSync(markerFile(stateDir), `${apiUrl}\n${command}\n${process.pid}\n`),
    );
  } catch (problem) {
    held.close();
    throw problem;
  }
  return {
    isAfterKill: marked !== undefined,
    release: () => {
      removeOperatorFile(stateDir);
      rmSync(markerFile(stateDir), { force: true });
      held.close();
    },
  };
}
