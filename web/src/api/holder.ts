// For whom this browser works. Several people may sign in to one browser, one after the other, while tabs of the person
// before are still open: what is kept here belongs to an account, and every request names the one that it is made for.

/** The sign-in page removes it (public/pages/forms.js): whoever comes next may be somebody else. */
const KEY = "commonplace-account";
/** Stands there once somebody has signed out, until the next person is known. */
const NOBODY = "nobody";

/** Stands there once an account has been erased in this browser: its id. */
const ERASED_KEY = "commonplace-erased";

/** The time zone of that account, so that the right day is shown before the service has answered. */
const ZONE_KEY = "commonplace-zone";

const idIn = (kept: string | null) => (kept === NOBODY ? undefined : (kept ?? undefined));

let known: string | undefined;
let last = idIn(localStorage.getItem(KEY));

/** The account that this page shows, once the service has said whose it is. */
export const knownAccount = (): string | undefined => known;

/** The account of what is kept in this browser: the one that was signed in last, also without a network. */
export const keptAccount = (): string | undefined => known ?? last;

/** This page shows an account. */
export function workFor({ id, timezone }: { id: string; timezone: string }): void {
  known = id;
  last = id;
  localStorage.setItem(KEY, id);
  localStorage.setItem(ZONE_KEY, `${id} ${timezone}`);
}

/** The time zone of the account of what is kept in this browser, as it was last. */
export function keptTimezone(): string | undefined {
  const [id, timezone] = localStorage.getItem(ZONE_KEY)?.split(" ") ?? [];
  return id === keptAccount() ? timezone : undefined;
}

/** Nobody is signed in to this browser any more. This page is left now, and so are those of the other tabs. */
export function forgetAccount(): void {
  last = undefined;
  localStorage.setItem(KEY, NOBODY);
}

/** This page's account has been erased: no tab of it keeps anything any more. */
export function noteErased(): void {
  if (known) localStorage.setItem(ERASED_KEY, known);
}

/** The account that was erased in this browser last. */
export const erasedAccount = (): string | null => localStorage.getItem(ERASED_KEY);

/** Whether this page's account has been erased, here or in another tab. */
export const isErased = (): boolean => known !== undefined && erasedAccount() === known;

/** Leaves this page, whose account is not this browser's any more, and shows nothing of it until then. Never resolves. */
export function leaveFor(to: string): Promise<void> {
  document.body.hidden = true;
  location.replace(to);
  return new Promise(() => {});
}

/** Leaves the page if its account has signed out in another tab, or somebody else has signed in. */
function leaveIfOver(): void {
  const now = localStorage.getItem(KEY);
  if (known === undefined || now === null || now === known) return;
  void leaveFor(now === NOBODY ? "/sign-in" : "/");
}

const isForgotten = ({ key, newValue }: StorageEvent) => key === KEY && newValue === null;

/**
 * Leaves this page as soon as its account has signed out in another tab, or somebody else has signed in. A tab that was
 * suspended hears of it when it is looked at again, and a page that "Back" restores is loaded anew, unseen until then.
 *
 * @param ask asks the service whether the session is still good: another tab shows the sign-in
 */
export function leaveWithAccount(ask: () => void): void {
  for (const event of ["storage", "focus"]) addEventListener(event, leaveIfOver);
  addEventListener("storage", (event) => isForgotten(event) && ask());
  document.addEventListener("visibilitychange", leaveIfOver);
  addEventListener("pagehide", ({ persisted }) => {
    if (persisted) document.body.hidden = true;
  });
  addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
}
