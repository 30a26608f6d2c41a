import { chmodSync, existsSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Makes new files of this process and its children readable by their owner only. */
export const restrictNewFiles = () => process.umask(0o077);

function restrictAccess(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats || stats.isSymbolicLink()) return;
  chmodSync(path, stats.isDirectory() ? 0o700 : 0o600);
  if (stats.isDirectory()) for (const name of readdirSync(path)) restrictAccess(join(path, name));
}

/** Restricts the state folder and the service's files in it, which earlier versions left readable for others. */
export function restrictStateFolder(stateDir: string): void {
  if (!existsSync(stateDir)) return;
  chmodSync(stateDir, 0o700);
  // Only these: STATE_DIR may contain files of others.
  for (const name of ["v3", "running", "operator", "lock", "reserve", "secrets"])
    restrictAccess(join(stateDir, name));
}
