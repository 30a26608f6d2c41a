import { argon2id, argon2Verify, setWASMModules } from "argon2-wasm-edge";
import argon2WASM from "argon2-wasm-edge/wasm/argon2.wasm";
import blake2bWASM from "argon2-wasm-edge/wasm/blake2b.wasm";
import { COST, CURRENT, NOBODY } from "../features/auth/password-cost.ts";

// Workers cannot compile WebAssembly at run time; these modules are compiled when the Worker is built.
setWASMModules({ argon2WASM, blake2bWASM });

/** Hashes a password as a PHC string, after NFC, because keyboards differ in how they compose characters. */
export const hashPassword = (password: string): Promise<string> =>
  argon2id({
    ...COST,
    password: password.normalize("NFC"),
    salt: crypto.getRandomValues(new Uint8Array(16)),
    outputType: "encoded",
  });

/** Compares a password with a stored hash. Without a hash the result is false after the same time. */
export async function verifyPassword(password: string, hash: string | undefined): Promise<boolean> {
  const matches = await argon2Verify({ password: password.normalize("NFC"), hash: hash ?? NOBODY });
  return matches && hash !== undefined;
}

/** Whether a stored hash uses parameters other than the current ones. */
export const isOutdated = (hash: string) => !hash.startsWith(CURRENT);
