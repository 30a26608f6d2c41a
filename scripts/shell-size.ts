import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { buildApp } from "./start/app.ts";

// A line of `npm run check`: how much JavaScript a browser loads before it shows the first screen.

/**
 * The most kilobytes of each first screen. Today is in the shell; another has a file of its own. Of Documents' 75 more,
 * all but about 20 are react-aria's: the list that shows only rows in sight, its selection and keyboard, and dragging,
 * which a list cannot take up later without being made anew under the focus. Three more are the script that
 * begins to download a screen's files.
 */
const SCREENS = { today: 170, documents: 232 };
/** The most kilobytes that the editor of a document, which is loaded while one reads, adds to them. */
const EDITOR = 130;

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

function scriptsOf(screen: string): string[] {
  const all = needed("index.html");
  const own = readdirSync("public/app").find((name) => name.startsWith(`${screen}-`) && name.endsWith(".js"));
  if (own) needed(`app/${own}`, all);
  else if (screen !== "today") throw new Error(`There is no script of the screen ${screen}`);
  return [...all].filter((path) => path.endsWith(".js"));
}

function show(scripts: readonly string[], what: string, most: number): void {
  if (scripts.length === 0) throw new Error("No script is loaded: the measurement is wrong");
  const total = scripts.reduce((sum, path) => sum + kilobytes(path), 0);
  for (const path of scripts) console.log(`${kilobytes(path).toFixed(1).padStart(7)} kB  ${path}`);
  console.log(`${total.toFixed(1).padStart(7)} kB  of JavaScript ${what}, gzip (at most ${most})\n`);
  if (total <= most) return;
  console.error("Too much: load what is not shown at first with a dynamic import().");
  process.exitCode = 1;
}

await buildApp();
for (const [screen, most] of Object.entries(SCREENS))
  show(scriptsOf(screen), `when ${screen} is opened first`, most);
const read = scriptsOf("document");
const written = scriptsOf("editor").filter((path) => !read.includes(path));
show(written, "more when a document is written", EDITOR);
