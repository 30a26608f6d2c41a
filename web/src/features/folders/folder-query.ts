const PAGE = 1000;

/** The query for a page of folders. Part of the early script (web/src/shell/early.ts), so keep it small. */
export const folderPageQuery = (offset: number) => ({ limit: PAGE, offset });
