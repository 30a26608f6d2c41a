import { del, delMany, setMany as putMany, set as putOne } from "idb-keyval";
import { isAccountErased } from "../api/current-account.ts";

// Writes account data to browser storage. A page keeps running for a moment after its account was erased, and anything stored
// then would never be deleted. Another tab may learn of the erasure only after it has written, hence the second check.

/** `setValue` of idb-keyval; does nothing once the account is erased. */
export const setValue: typeof putOne = async (key, value, store) => {
  if (isAccountErased()) return;
  await putOne(key, value, store);
  if (isAccountErased()) await del(key, store);
};

/** `setValues` of idb-keyval; does nothing once the account is erased. */
export const setValues: typeof putMany = async (entries, store) => {
  if (isAccountErased()) return;
  await putMany(entries, store);
  const keys = entries.map(([key]) => key);
  if (isAccountErased()) await delMany(keys, store);
};

/** Writes to localStorage; does nothing once the account is erased. Throws when storage is full. */
export function setLocalItem(key: string, text: string): void {
  if (!isAccountErased()) localStorage.setItem(key, text);
}
