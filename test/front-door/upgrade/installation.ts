import { readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const isOurs = (name: string) => !name.startsWith(".") || name === ".npmrc";

/**
 * Makes an empty folder a copy of the service with secrets of its own: `npm start` reads them only from .dev.vars beside
 * it. Everything else is that of the checkout, so nothing is built a second time.
 */
export function install(checkout: string, folder: string, secrets: Record<string, string>): void {
  for (const name of readdirSync(checkout).filter(isOurs))
    symlinkSync(resolve(checkout, name), join(folder, name));
  const lines = Object.entries(secrets).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(join(folder, ".dev.vars"), lines.join(""), { mode: 0o600 });
}
