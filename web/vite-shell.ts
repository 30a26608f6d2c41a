import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";
import { APP_PATHS } from "../src/contract/paths.ts";

const WORKER = "sw.js";
const PAGE = "index.html";
/** Used by the page, but not part of the build. */
const ICON = "/icons/icon.svg";

/** Inserts the build's files, its hash and the app's paths into the service worker. */
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
