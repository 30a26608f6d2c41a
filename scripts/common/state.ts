import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { removeOperator } from "./operator.ts";
import type { Settings } from "./settings.ts";
import { naming } from "./state-problems.ts";

/** The right to use a state folder. `leftBehind`: the last copy that used it was killed. */
export type StateClaim = { leftBehind: boolean; release: () => void };

/** The commands that serve the data of a state folder. */
export type Command = "npm start" | "npm run dev" | "commonplace start";

/** What a copy has written about itself into its folder. */
type Marker = { address: string; command: string; pid: string };

const markerIn = (stateDir: string) => join(stateDir, "running");

/** The copy that uses a state folder, or that was killed; undefined if there is neither. */
function markedCopy(stateDir: string): Marker | undefined {
  try {
    const [address = "", command = "npm start", pid = "unknown"] = readFileSync(
      markerIn(stateDir),
      "utf8",
    ).split("\n");
    return { address, command, pid };
  } catch {
    return undefined;
  }
}

/**
 * A lock that the system takes back when this process ends, however that is; undefined while another one has it. SQLite
 * locks its files in that way, and Node cannot.
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

/** The copy that uses a state folder now, if there is one. */
export function copyUsing(stateDir: string): Marker | undefined {
  const marked = markedCopy(stateDir);
  if (!marked) return undefined;
  const free = lock(stateDir);
  free?.close();
  return free ? undefined : marked;
}

/** Marks the state folder as in use by this copy. Throws if another one uses it: together they would lose writes. */
export function claimState(
  { stateDir, apiUrl }: Pick<Settings, "stateDir" | "apiUrl">,
  command: Command,
): StateClaim {
  naming(stateDir, () => mkdirSync(stateDir, { recursive: true }));
  const held = naming(join(stateDir, "lock"), () => lock(stateDir));
  const marked = markedCopy(stateDir);
  if (!held) {
    const { address, command: other, pid } = marked ?? { address: apiUrl, command: "it", pid: "unknown" };
    const who = `A copy at ${address} already uses ${stateDir}: "${other}", process ${pid}.`;
    throw new Error(`${who} Stop it with Ctrl-C, or choose another folder: STATE_DIR=… ${command}`);
  }
  removeOperator(stateDir);
  naming(markerIn(stateDir), () =>
    writeFileSync(markerIn(stateDir), `${apiUrl}\n${command}\n${process.pid}\n`),
  );
  return {
    leftBehind: marked !== undefined,
    release: () => {
      removeOperator(stateDir);
      rmSync(markerIn(stateDir), { force: true });
      held.close();
    },
  };
}
