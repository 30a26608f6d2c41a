import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { buildApp } from "./start/app.ts";

// A line of `npm run check`: how much JavaScript a browser loads before it shows the app's first screen.

const MOST_KB = 170;

/** Static imports and preloads of a built file; a dynamic `import()` is loaded later. */
const IMPORT = /(?:\bfrom|\bimport)\s*["']([^"']+\.js)["']|(?:src|href)="([^"]+\.js)"/g;

/** The built scripts that a file of `public` needs at once, itself among them. */
function needed(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path)) return found;
  found.add(path);
  for (const [, imported, linked] of readFileSync(join("public", path), "utf8").matchAll(IMPORT)) {
    needed(new URL(imported ?? linked ?? "", `file:///${path}`).pathname.slice(1), found);
  }
  return found;
}

const kilobytes = (path: string) => gzipSync(readFileSync(join("public", path)), { level: 9 }).length / 1000;

await buildApp();
const scripts = [...needed("index.html")].filter((path) => path.endsWith(".js"));
const total = scripts.reduce((sum, path) => sum + kilobytes(path), 0);
for (const path of scripts) console.log(`${kilobytes(path).toFixed(1).padStart(7)} kB  ${path}`);
console.log(
  `${total.toFixed(1).padStart(7)} kB  of JavaScript with the first screen, gzip (at most ${MOST_KB})`,
);
if (scripts.length === 0) throw new Error("index.html loads no script: the measurement is wrong");
if (total > MOST_KB) {
  console.error("Too much: load what the first screen does not show with a dynamic import().");
  process.exit(1);
}
