import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";

const PAGE = join("public", "index.html");
const ASSETS = join("public", "app");

/** What goes into the app: its own sources and what they import from elsewhere. */
const INPUTS = ["package-lock.json", join("public", "pages", "tokens.css")];
const FOLDERS = ["web", "src"];

const changedAt = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));

function isUpToDate(): boolean {
  const built = changedAt(PAGE);
  return [...INPUTS, ...FOLDERS, ...FOLDERS.flatMap(filesIn)].every((path) => changedAt(path) <= built);
}

/** Builds the app of the browser into the Worker's static assets, unless nothing changed since. */
export async function buildApp(): Promise<void> {
  if (isUpToDate()) return;
  rmSync(ASSETS, { recursive: true, force: true });
  await build({ configFile: join("web", "vite.config.ts"), logLevel: "warn" });
}

if (import.meta.main) await buildApp();
