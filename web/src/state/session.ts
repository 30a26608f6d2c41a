import { account, type User } from "../api/account.ts";
import { forgetAccount, noteErased, workFor } from "../api/holder.ts";
import { dropCopies, dropCopiesOfOthers, keepEarly, orCopy } from "./copies.ts";
import { forgetUnfolded } from "./folded.ts";
import { forgetSearches } from "./kept-searches.ts";
import { forgetOpened } from "./opened.ts";

// The signed-in account: reading it, signing out, erasing it.

/** Makes this the account of the page. */
function shown(user: User): User {
  workFor(user);
  keepEarly();
  void dropCopiesOfOthers(user.id);
  return user;
}

/** Deletes local data, for the next user of this browser. Other open tabs leave their pages. */
async function leave(): Promise<void> {
  forgetSearches();
  forgetOpened();
  forgetUnfolded();
  forgetAccount();
  await dropCopies();
}

/** The signed-in account; offline, the last one. Throws ApiError. */
export const readMe = (): Promise<User> => orCopy("/api/auth/me", () => account.me().then(shown)).then(shown);

export const signOut = (): Promise<void> => account.signOut().then(leave);
export const signOutEverywhere = (): Promise<void> => account.signOutEverywhere().then(leave);

/** Deletes the account permanently. `forget` deletes its data in this browser before the page navigates away. */
export const eraseAccount = (
  proof: Parameters<typeof account.erase>[0],
  forget: () => Promise<void>,
): Promise<void> => account.erase(proof).then(noteErased).then(forget).then(leave);
