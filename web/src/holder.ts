// For whom this browser works. Several people may sign in to one browser, one after the other, while tabs of the person
// before are still open: what is kept here belongs to an account, and every request names the one that it is made for.

/** The sign-in page removes it (public/pages/forms.js): whoever comes next may be somebody else. */
const KEY = "commonplace-account";

let known: string | undefined;
let last = localStorage.getItem(KEY) ?? undefined;

/** The account that this page shows, once the service has said whose it is. */
export const knownAccount = (): string | undefined => known;

/** The account of what is kept in this browser: the one that was signed in last, also without a network. */
export const keptAccount = (): string | undefined => known ?? last;

/** This page shows an account. */
export function workFor(id: string): void {
  known = id;
  last = id;
  localStorage.setItem(KEY, id);
}

/** Nobody is signed in to this browser any more. The page is left now. */
export function forgetAccount(): void {
  last = undefined;
  localStorage.removeItem(KEY);
}
