import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

/** Must be the first line of a script: https://v8.dev/blog/explicit-compile-hints. Browsers without V8 ignore it. */
const COMPILE_HINT = "//# allFunctionsCalledOnLoad\n";

/**
 * V8 compiles the scripts that the page needs first in the background while they arrive, not one function after the other
 * while the first screen renders.
 */
export const compileHint = (): Plugin => ({
  name: "compile-hint",
  apply: "build",
  // The last hook: Vite puts lines of its own above the script before it.
  writeBundle({ dir = "" }, bundle) {
    const page = Object.values(bundle).find((file) => file.type === "chunk" && file.name === "index");
    if (page?.type !== "chunk") throw new Error("There is no script of the page");
    for (const name of [page.fileName, ...page.imports]) {
      const path = join(dir, name);
      writeFileSync(path, COMPILE_HINT + readFileSync(path, "utf8"));
    }
  },
});
