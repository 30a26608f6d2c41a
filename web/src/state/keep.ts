import { del, delMany, setMany as putMany, set as putOne } from "idb-keyval";
import { isErased } from "../api/holder.ts";

// Writes account data to browser storage. A page keeps running for a moment after its account was erased, and anything stored
// then would never be deleted. Another tab may learn of the erasure only after it has written, hence the second check.

/** `set` of idb-keyval; does nothing once the account is erased. */
export const set: typeof putOne = async (key, value, store) => {
  if (isErased()) return;
  await putOne(key, value, store);
  if (isErased()) await del(key, store);
};

/** `setMany` of idb-keyval; does nothing once the account is erased. */
export const setMany: typeof putMany = async (entries, store) => {
  if (isErased()) return;
  await putMany(entries, store);
  if (isErased())
    await delMany(
      entries.map(([key]) => key),
      store,
    );
};

/** Writes to localStorage; does nothing once the account is erased. Throws when storage is full. */
export function note(key: string, text: string): void {
  if (!isErased()) localStorage.setItem(key, text);
}
