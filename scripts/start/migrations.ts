import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { text } from "node:stream/consumers";
import { migrationsOf } from "../backup/dump.ts";
import { localFile, localSource } from "../backup/source.ts";
import { WRANGLER, wranglerEnvironment } from "./wrangler.ts";

/** Whether every migration has been applied. False if the database cannot be read, so that wrangler reports why. */
async function isUpToDate(stateDir: string): Promise<boolean> {
  try {
    const source = localSource(localFile(stateDir));
    const applied = await migrationsOf(source);
    source.close();
    return readdirSync("migrations").every((name) => applied.includes(name));
  } catch {
    return false;
  }
}

/** Applies the missing migrations to the local database in `stateDir`. Throws with wrangler's output if that fails. */
export async function applyMigrations(stateDir: string): Promise<void> {
  if (await isUpToDate(stateDir)) return;
  const command = [WRANGLER, "d1", "migrations", "apply", "DB", "--local", "--persist-to", stateDir];
  const child = spawn(process.execPath, command, {
    env: wranglerEnvironment(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const code = await new Promise<number | null>((ended) => child.once("close", ended));
  if (code !== 0) throw new Error(`The migrations failed:\n${(await output).join("\n")}`);
}
