import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";

// Copies the files of /docs and /redoc into the Worker's static assets, so that the pages work offline.

const FOLDER = "public/vendor";
const REDOC = "redoc/bundles/redoc.standalone.js";
const COPIED = [
  "swagger-ui-dist/swagger-ui.css",
  "swagger-ui-dist/swagger-ui-bundle.js",
  "swagger-ui-dist/swagger-ui-bundle.js.LICENSE.txt",
  `${REDOC}.LICENSE.txt`,
];

/** The only external address that Redoc's bundle loads, and the empty image that replaces it. */
const LOGO = "https://cdn.redoc.ly/redoc/logo-mini.svg";
const NO_LOGO = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E";

/** Removes the external logo from Redoc's bundle. Throws if another version loads something else. */
function withoutLogo(bundle: string): string {
  const pieces = bundle.split(LOGO);
  if (pieces.length !== 2 || pieces.join("").includes("cdn.redoc.ly")) {
    throw new Error(
      `${REDOC}: expected exactly one ${LOGO}; check what this version loads and adapt ${import.meta.filename}`,
    );
  }
  return pieces.join(NO_LOGO);
}

const source = (file: string) => `node_modules/${file}`;
const target = (file: string) => `${FOLDER}/${basename(file)}`;

mkdirSync(FOLDER, { recursive: true });
for (const file of COPIED) copyFileSync(source(file), target(file));
writeFileSync(target(REDOC), withoutLogo(readFileSync(source(REDOC), "utf8")));
