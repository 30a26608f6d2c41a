import { globSync, rmSync } from "node:fs";

// A third of the package `node` are headers for compiling native modules (67 MB), which nobody does here.

for (const headers of globSync("node_modules/node/node_modules/*/include"))
  rmSync(headers, { recursive: true });
