import { argon2id, argon2Verify, setWASMModules } from "argon2-wasm-edge";
import argon2WASM from "argon2-wasm-edge/wasm/argon2.wasm";
import blake2bWASM from "argon2-wasm-edge/wasm/blake2b.wasm";

// Workers refuse to compile WebAssembly at run time; these modules are compiled when the Worker is built.
setWASMModules({ argon2WASM, blake2bWASM });

/** OWASP Password Storage Cheat Sheet, first choice for argon2id: 19 MiB, two passes, one lane. */
const COST = { memorySize: 19_456, iterations: 2, parallelism: 1, hashLength: 32 };

const CURRENT = `$argon2id$v=19$m=${COST.memorySize},t=${COST.iterations},p=${COST.parallelism}$`;

/** What an unknown e-mail is verified against, so that it takes as long as a known one. No password has this hash. */
const NOBODY = `${CURRENT}AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA`;

/** Hashes a password (after NFC, so that every keyboard gives the same bytes) as a PHC string. */
export const hashPassword = (password: string): Promise<string> =>
  argon2id({
    ...COST,
    password: password.normalize("NFC"),
    salt: crypto.getRandomValues(new Uint8Array(16)),
    outputType: "encoded",
  });

/** Compares a password with a stored hash at the cost stored in it. Without a hash it costs the same and is false. */
export async function verifyPassword(password: string, hash: string | undefined): Promise<boolean> {
  const matches = await argon2Verify({ password: password.normalize("NFC"), hash: hash ?? NOBODY });
  return matches && hash !== undefined;
}

/** Whether a stored hash was made with other parameters than today's. */
export const isOutdated = (hash: string) => !hash.startsWith(CURRENT);
