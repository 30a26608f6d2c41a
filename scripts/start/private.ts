import { chmodSync, existsSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** From here on, files that this process and its children create can be read by their owner only. */
export const createPrivately = () => process.umask(0o077);

function closeToOthers(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats || stats.isSymbolicLink()) return;
  chmodSync(path, stats.isDirectory() ? 0o700 : 0o600);
  if (stats.isDirectory()) for (const name of readdirSync(path)) closeToOthers(join(path, name));
}

/** Closes what an earlier version left open to others: the state folder, and in it the files that are ours. */
export function closeState(stateDir: string): void {
  if (!existsSync(stateDir)) return;
  chmodSync(stateDir, 0o700);
  // Not everything in the folder: STATE_DIR may name one that holds other things too.
  for (const name of ["v3", "running"]) closeToOthers(join(stateDir, name));
}
