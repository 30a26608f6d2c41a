import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** Copies the files that are checked in, with the packages that `npm ci` would install, into an empty folder. */
export function copyRepository(folder: string): void {
  const names = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    encoding: "utf8",
  });
  for (const name of names.split("\0").filter(Boolean)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    cpSync(name, join(folder, name));
  }
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
}
