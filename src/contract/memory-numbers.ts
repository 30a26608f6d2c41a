/** Imports keep ids up to this one. */
const LAST_KEPT_ID = 2 ** 32;
/** Ids from here on are only assigned by imports; the ids of new memories never get this high. */
export const FIRST_IMPORTED_ID = 2 ** 40;

/** Whether an imported memory keeps its id. The ids in between are reserved for new memories. */
export const keepsImportedId = (id: number): boolean => id <= LAST_KEPT_ID || id >= FIRST_IMPORTED_ID;
