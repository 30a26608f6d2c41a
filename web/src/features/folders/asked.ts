const PAGE = 1000;

/** A page of the folders. The early script (web/src/shell/early.ts) has this in it: nothing large belongs here. */
export const foldersFrom = (offset: number) => ({ limit: PAGE, offset });
