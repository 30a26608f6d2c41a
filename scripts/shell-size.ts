import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { buildApp } from "./start/app.ts";

// Part of `npm run check`: measures the JavaScript that a browser loads before it shows the first screen.

/**
 * The limits in kilobytes, by first screen. Today is part of the shell. Documents includes the full list (with selection,
 * dragging and keyboard moves), which loads after the first rows are painted.
 */
const SCREEN_LIMITS = { today: 150, documents: 232 };
/** Chunks that a screen loads after its first rows are painted. */
const LATER_CHUNKS: Record<string, string[]> = { documents: ["full-list"] };
/** The limit in kilobytes for the document editor, which loads while the user reads. */
const EDITOR_LIMIT = 133;

/** Static imports and preloads of a built file; a dynamic `import()` is loaded later. */
const IMPORT = /(?:\bfrom|\bimport)\s*["']([^"']+\.js)["']|(?:src|href)="([^"]+\.js)"/g;

/** A file of `public`, and the built scripts that it loads statically. */
function loadedScripts(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path)) return found;
  found.add(path);
  for (const [, imported, linked] of readFileSync(join("public", path), "utf8").matchAll(IMPORT)) {
    loadedScripts(new URL(imported ?? linked ?? "", `file:///${path}`).pathname.slice(1), found);
  }
  return found;
}

const kilobytes = (path: string) => gzipSync(readFileSync(join("public", path)), { level: 9 }).length / 1000;

function screenScripts(screen: string): string[] {
  const all = loadedScripts("index.html");
  const names = screen === "today" ? [] : [screen, ...(LATER_CHUNKS[screen] ?? [])];
  for (const name of names) {
    const isChunk = new RegExp(`^${name}-[\\w-]{8}\\.js$`);
    const chunk = readdirSync("public/app").find((file) => isChunk.test(file));
    if (!chunk) throw new Error(`There is no script ${name}`);
    loadedScripts(`app/${chunk}`, all);
  }
  return [...all].filter((path) => path.endsWith(".js"));
}

function checkSize(scripts: readonly string[], what: string, limit: number): void {
  if (scripts.length === 0) throw new Error("No script is loaded: the measurement is wrong");
  const total = scripts.reduce((sum, path) => sum + kilobytes(path), 0);
  const left = `${(limit - total).toFixed(1)} kB below the limit of ${limit} kB`;
  console.log(`${total.toFixed(1).padStart(7)} kB  of JavaScript ${what}, gzip (${left})`);
  if (total <= limit) return;
  for (const path of scripts) console.error(`${kilobytes(path).toFixed(1).padStart(7)} kB  ${path}`);
  console.error("Too large: load code that the first screen does not need with a dynamic import().");
  process.exitCode = 1;
}

await buildApp();
for (const [screen, limit] of Object.entries(SCREEN_LIMITS))
  checkSize(screenScripts(screen), `when ${screen} is opened first`, limit);
const readingScripts = screenScripts("document");
const editingScripts = screenScripts("editor").filter((path) => !readingScripts.includes(path));
checkSize(editingScripts, "more when a document is edited", EDITOR_LIMIT);
