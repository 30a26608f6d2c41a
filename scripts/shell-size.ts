import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { buildApp } from "./start/app.ts";

// A line of `npm run check`: how much JavaScript a browser loads before it shows the first screen.

/**
 * The most kilobytes of each first screen, of which Today is in the shell. Documents' is with the whole list, of which the
 * first rows are painted before it is there: it shows only rows in sight, which are selected, dragged and moved by keyboard.
 */
const SCREENS = { today: 170, documents: 236 };
/** What a screen loads once its first rows are painted. */
const LATER: Record<string, string[]> = { documents: ["full-list"] };
/** The most kilobytes that the editor of a document, which is loaded while one reads, adds to them. */
const EDITOR = 134;

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
  const names = screen === "today" ? [] : [screen, ...(LATER[screen] ?? [])];
  for (const name of names) {
    const isOwn = new RegExp(`^${name}-[\\w-]{8}\\.js$`);
    const own = readdirSync("public/app").find((file) => isOwn.test(file));
    if (!own) throw new Error(`There is no script ${name}`);
    needed(`app/${own}`, all);
  }
  return [...all].filter((path) => path.endsWith(".js"));
}

function show(scripts: readonly string[], what: string, most: number): void {
  if (scripts.length === 0) throw new Error("No script is loaded: the measurement is wrong");
  const total = scripts.reduce((sum, path) => sum + kilobytes(path), 0);
  const left = `${(most - total).toFixed(1)} kB below the limit of ${most}`;
  console.log(`${total.toFixed(1).padStart(7)} kB  of JavaScript ${what}, gzip (${left})`);
  if (total <= most) return;
  for (const path of scripts) console.error(`${kilobytes(path).toFixed(1).padStart(7)} kB  ${path}`);
  console.error("Too much: load what is not shown at first with a dynamic import().");
  process.exitCode = 1;
}

await buildApp();
for (const [screen, most] of Object.entries(SCREENS))
  show(scriptsOf(screen), `when ${screen} is opened first`, most);
const read = scriptsOf("document");
const written = scriptsOf("editor").filter((path) => !read.includes(path));
show(written, "more when a document is written", EDITOR);
