import { randomBytes } from "node:crypto";
import { appendFileSync, chmodSync, existsSync, readFileSync } from "node:fs";

/** Writes a random signing key to the file, unless it already has one. Only its owner can read the file. */
export function ensureSecrets(file: string): void {
  if (existsSync(file)) chmodSync(file, 0o600);
  const present = existsSync(file) ? readFileSync(file, "utf8") : "";
  if (/^JWT_SECRET=/m.test(present)) return;
  const gap = present === "" || present.endsWith("\n") ? "" : "\n";
  appendFileSync(file, `${gap}JWT_SECRET=${randomBytes(48).toString("base64url")}\n`, { mode: 0o600 });
  console.log(`Wrote a random JWT_SECRET to ${file}`);
}
