/**
 * Whether a path takes bodies of any size: the file of an import, which is read in pieces, a file, and parts of one. The
 * front cannot see what the Worker's operations state, so `test/house/rules.test.ts` compares the two.
 */
export const takesAnySize = (path: string): boolean =>
  /^\/api\/import([/?]|$)|^\/api\/files\/?$|^\/api\/files\/[^/]+\/parts\/[^/]+$/.test(path);
