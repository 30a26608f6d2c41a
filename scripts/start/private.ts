import { chmodSync, existsSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Makes files that this process and its children create readable by their owner only. */
export const createPrivately = () => process.umask(0o077);

function closeToOthers(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats || stats.isSymbolicLink()) return;
  chmodSync(path, stats.isDirectory() ? 0o700 : 0o600);
  if (stats.isDirectory()) for (const name of readdirSync(path)) closeToOthers(join(path, name));
}

/**
 * Makes private what an earlier version left readable for others: the state folder, and the service's own files in it.
 */
export function closeState(stateDir: string): void {
  if (!existsSync(stateDir)) return;
  chmodSync(stateDir, 0o700);
  // Only these: STATE_DIR may be a folder that contains other things too.
  for (const name of ["v3", "running", "operator", "lock", "reserve", "secrets"])
    closeToOthers(join(stateDir, name));
}
