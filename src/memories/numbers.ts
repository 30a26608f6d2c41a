// Which numbers of records belong to whom.

/** Numbers up to this one are kept by an import. */
const LAST_KEPT_ID = 2 ** 32;
/** Numbers from here on are made by imports; the service's own never come so far. */
export const FIRST_IMPORTED_ID = 2 ** 40;

/** Whether an imported record may keep its number: those in between are left to the service's own. */
export const keepsNumber = (id: number): boolean => id <= LAST_KEPT_ID || id >= FIRST_IMPORTED_ID;
