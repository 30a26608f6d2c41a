import { account, type User } from "../api/account.ts";
import { forgetAccount, noteErased, workFor } from "../api/holder.ts";
import { dropCopies, dropCopiesOfOthers, keepEarly, orCopy } from "./copies.ts";
import { forgetUnfolded } from "./folded.ts";
import { forgetSearches } from "./kept-searches.ts";
import { forgetOpened } from "./opened.ts";

// Whose page this is, and how it ends to be theirs.

/** The page shows this account from now on. */
function shown(user: User): User {
  workFor(user);
  keepEarly();
  void dropCopiesOfOthers(user.id);
  return user;
}

/** Whoever uses this browser next sees nothing of what was kept, and no tab that is still open. */
async function leave(): Promise<void> {
  forgetSearches();
  forgetOpened();
  forgetUnfolded();
  forgetAccount();
  await dropCopies();
}

/** Who is signed in. Without a network, whoever was. Throws ApiError. */
export const readMe = (): Promise<User> => orCopy("/api/auth/me", () => account.me().then(shown)).then(shown);

export const signOut = (): Promise<void> => account.signOut().then(leave);
export const signOutEverywhere = (): Promise<void> => account.signOutEverywhere().then(leave);

/** Deletes the account for good. `forget` deletes what it has kept here, before the page is left by itself. */
export const eraseAccount = (
  proof: Parameters<typeof account.erase>[0],
  forget: () => Promise<void>,
): Promise<void> => account.erase(proof).then(noteErased).then(forget).then(leave);
