import { del, delMany, setMany as putMany, set as putOne } from "idb-keyval";
import { isErased } from "../api/holder.ts";

// How anything of an account is kept in this browser. A page goes on for a moment after its account was erased: what it
// would keep then, nobody would ever delete. Another tab may hear of it only once it has kept something.

/** Keeps a value in IndexedDB; nothing once the account is erased. Rejects as `set` of idb-keyval does. */
export const set: typeof putOne = async (key, value, store) => {
  if (isErased()) return;
  await putOne(key, value, store);
  if (isErased()) await del(key, store);
};

/** Keeps several values in IndexedDB; nothing once the account is erased. Rejects as `setMany` of idb-keyval does. */
export const setMany: typeof putMany = async (entries, store) => {
  if (isErased()) return;
  await putMany(entries, store);
  if (isErased())
    await delMany(
      entries.map(([key]) => key),
      store,
    );
};

/** Keeps a text in the local storage; nothing once the account is erased. Throws when there is no room. */
export function note(key: string, text: string): void {
  if (!isErased()) localStorage.setItem(key, text);
}
