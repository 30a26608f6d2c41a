import { copyFileSync, mkdirSync } from "node:fs";

// Copies what /docs and /redoc load into the Worker's static assets, so that they work offline.

const FILES = [
  "swagger-ui-dist/swagger-ui.css",
  "swagger-ui-dist/swagger-ui-bundle.js",
  "redoc/bundles/redoc.standalone.js",
];

mkdirSync("public/vendor", { recursive: true });
for (const file of FILES) copyFileSync(`node_modules/${file}`, `public/vendor/${file.split("/").at(-1)}`);
