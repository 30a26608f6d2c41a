import { account, type User } from "../api/account.ts";
import { forgetAccount, markAccountErased, setAccount } from "../api/current-account.ts";
import { deleteAllCopies, deleteCopiesOfOtherAccounts, fetchOrCopy, storeEarlyAnswers } from "./copies.ts";
import { forgetUnfoldedFolders } from "./folded.ts";
import { forgetRecentItems } from "./recent-items.ts";
import { forgetRecentSearches } from "./recent-searches.ts";

// The signed-in account: reading it, signing out, erasing it.

function adoptAccount(user: User): User {
  setAccount(user);
  storeEarlyAnswers();
  void deleteCopiesOfOtherAccounts(user.id);
  return user;
}

/** Deletes local data, for the next user of this browser. Other open tabs leave their pages. */
async function clearLocalData(): Promise<void> {
  forgetRecentSearches();
  forgetRecentItems();
  forgetUnfoldedFolders();
  forgetAccount();
  await deleteAllCopies();
}

/** The signed-in account; offline, the last one. Throws ApiError. */
export const readMe = (): Promise<User> =>
  fetchOrCopy("/api/auth/me", () => account.me().then(adoptAccount)).then(adoptAccount);

export const signOut = (): Promise<void> => account.signOut().then(clearLocalData);
export const signOutEverywhere = (): Promise<void> => account.signOutEverywhere().then(clearLocalData);

/** Deletes the account permanently. `forget` deletes its data in this browser before the page navigates away. */
export const eraseAccount = (
  proof: Parameters<typeof account.erase>[0],
  forget: () => Promise<void>,
): Promise<void> => account.erase(proof).then(markAccountErased).then(forget).then(clearLocalData);
