import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { WRANGLER, wranglerEnvironment } from "./processes.ts";

/** Brings the local database in `stateDir` up to date. Throws with wrangler's own words when that fails. */
export async function applyMigrations(stateDir: string): Promise<void> {
  const command = [WRANGLER, "d1", "migrations", "apply", "DB", "--local", "--persist-to", stateDir];
  const child = spawn(process.execPath, command, {
    env: wranglerEnvironment(stateDir),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const code = await new Promise<number | null>((ended) => child.once("close", ended));
  if (code !== 0) throw new Error(`The migrations failed:\n${(await output).join("\n")}`);
}
