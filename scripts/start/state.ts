import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { removeOperator } from "../common/operator.ts";
import type { Settings } from "../common/settings.ts";

/** The right to use a state folder. `leftBehind`: the last copy that used it was killed. */
export type StateClaim = { leftBehind: boolean; release: () => void };

function addressIn(marker: string): string | undefined {
  try {
    return readFileSync(marker, "utf8").trim();
  } catch {
    return undefined;
  }
}

/**
 * Marks the state folder as in use by this copy. Two copies on one folder would lose writes, so it throws if the copy
 * that marked it still answers.
 */
export async function claimState(
  { stateDir, apiUrl }: Settings,
  isAnswering: (url: string) => Promise<boolean>,
): Promise<StateClaim> {
  const marker = join(stateDir, "running");
  const address = addressIn(marker);
  if (address && address !== apiUrl && (await isAnswering(address))) {
    const way = "Stop it, or choose another folder: STATE_DIR=… npm start";
    throw new Error(`A copy at ${address} already uses ${stateDir}. ${way}`);
  }
  mkdirSync(stateDir, { recursive: true });
  removeOperator(stateDir);
  writeFileSync(marker, `${apiUrl}\n`);
  return {
    leftBehind: address !== undefined,
    release: () => {
      removeOperator(stateDir);
      rmSync(marker, { force: true });
    },
  };
}
