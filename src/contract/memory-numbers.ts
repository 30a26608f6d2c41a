/** An import keeps numbers up to this one. */
const LAST_KEPT_ID = 2 ** 32;
/** Numbers from here on are assigned by imports only; the service's own never get there. */
export const FIRST_IMPORTED_ID = 2 ** 40;

/** Whether an imported record keeps its number; those in between are left to the service. */
export const keepsNumber = (id: number): boolean => id <= LAST_KEPT_ID || id >= FIRST_IMPORTED_ID;
