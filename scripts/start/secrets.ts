import { randomBytes } from "node:crypto";
import { appendFileSync, chmodSync, existsSync, readFileSync, statSync } from "node:fs";
import { parseEnv } from "node:util";

/** The minimum length of a signing key, as in features/auth/token.ts. */
const MIN_BYTES = 32;

const readIfExists = (file: string) => (existsSync(file) ? readFileSync(file, "utf8") : "");

/** Adds a variable to a file that only its owner can read. */
function appendVariable(file: string, name: string, value: string): void {
  const content = readIfExists(file);
  const gap = content === "" || content.endsWith("\n") ? "" : "\n";
  appendFileSync(file, `${gap}${name}=${value}\n`, { mode: 0o600 });
}

/** Makes a file private if this user owns it. Another owner decides who may read it. */
function restrictOwnFile(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false });
  const user = process.getuid?.();
  if (stats && (user === undefined || user === 0 || user === stats.uid)) chmodSync(file, 0o600);
}

/** Writes a random signing key to the file if it has none. Throws if the existing key is too short. */
export function ensureSecrets(file: string): void {
  restrictOwnFile(file);
  const { JWT_SECRET: secret } = parseEnv(readIfExists(file));
  if (secret === undefined) {
    appendVariable(file, "JWT_SECRET", randomBytes(48).toString("base64url"));
    console.log(`Wrote a random JWT_SECRET to ${file}`);
  } else if (Buffer.byteLength(secret) < MIN_BYTES)
    throw new Error(
      `JWT_SECRET in ${file} must have at least ${MIN_BYTES} bytes. Delete the line to get a random one at the next start; everyone then has to sign in again`,
    );
}

/** Opens registration for `wrangler dev`, unless the file sets REGISTRATION. */
export function ensureOpenRegistration(file: string): void {
  if (parseEnv(readIfExists(file)).REGISTRATION === undefined) appendVariable(file, "REGISTRATION", "open");
}
