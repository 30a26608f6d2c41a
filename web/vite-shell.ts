import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";
import { APP_PATHS } from "../src/contract/paths.ts";

const WORKER = "sw.js";
const PAGE = "index.html";
/** The page names it; it is no part of the build. */
const ICON = "/icons/icon.svg";

/** Tells the service worker which files this build made, which paths the app has, and a name for the build. */
export const shell = (): Plugin => ({
  name: "shell",
  apply: "build",
  writeBundle({ dir = "" }, bundle) {
    const files = Object.keys(bundle)
      .filter((name) => name !== WORKER)
      .sort();
    const hash = createHash("sha256");
    for (const name of files) hash.update(name).update(readFileSync(join(dir, name)));
    const paths = [...files.map((name) => (name === PAGE ? "/" : `/${name}`)), ICON];
    const worker = readFileSync(join(dir, WORKER), "utf8")
      .replaceAll("__SHELL__", JSON.stringify(paths))
      .replaceAll("__SCREENS__", JSON.stringify(`^/${APP_PATHS}$`))
      .replaceAll("__BUILD__", JSON.stringify(hash.digest("hex").slice(0, 16)));
    writeFileSync(join(dir, WORKER), worker);
  },
});
