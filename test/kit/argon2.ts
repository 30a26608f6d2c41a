import * as real from "argon2-wasm-edge/dist/index.esm.js";
import { PASSWORD } from "./password.ts";

// The hash function of the service, which remembers the one password that thousands of people of the tests have: its hash,
// and that it is right. With the pause after each (platform/queue), that was a third of the time of all tests. Everything
// else is computed, and takes as long as always.

export const { setWASMModules } = real;

let hashed: string | undefined;

export async function argon2id(options: Parameters<typeof real.argon2id>[0]): Promise<string> {
  if (options.password !== PASSWORD) return String(await real.argon2id(options));
  hashed ??= String(await real.argon2id(options));
  return hashed;
}

export async function argon2Verify(options: Parameters<typeof real.argon2Verify>[0]): Promise<boolean> {
  return (options.password === PASSWORD && options.hash === hashed) || real.argon2Verify(options);
}
