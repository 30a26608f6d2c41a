/** The library behind its alias (vitest.config.ts). */
declare module "argon2-wasm-edge/dist/index.esm.js" {
  export * from "argon2-wasm-edge";
}
