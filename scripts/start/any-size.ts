/**
 * Whether a path accepts bodies of any size: imports, files and parts of files, which are read as streams. The front
 * does not know the Worker's operations, so `test/house/rules.test.ts` compares the two.
 */
export const takesAnySize = (path: string): boolean =>
  /^\/api\/import([/?]|$)|^\/api\/files\/?$|^\/api\/files\/[^/]+\/parts\/[^/]+$/.test(path);
