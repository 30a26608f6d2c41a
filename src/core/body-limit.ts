/** Bytes that a request body may have. */
export const MAX_BODY_BYTES = 1024 * 1024;

/** Whether a path takes bodies of any size: the file of an import is read in pieces and has a limit of its own. */
export const takesAnySize = (path: string): boolean => /^\/api\/import([/?]|$)/.test(path);

export const BODY_LIMIT = "1 MiB";
