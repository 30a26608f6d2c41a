// The account of this page and of the data in this browser. Several accounts may sign in to one browser in turn while tabs of
// the previous one are still open, so local data belongs to an account and every request names the account it is made for.

/** Removed by the sign-in page (public/pages/forms.js), since another account may sign in. */
const KEY = "commonplace-account";
/** The value after signing out, until the next account is known. */
const NOBODY = "nobody";

/** Id of the account that was last erased in this browser. */
const ERASED_KEY = "commonplace-erased";

/** The account's time zone, to show the right day before the server has answered. */
const ZONE_KEY = "commonplace-zone";

const parseAccountId = (kept: string | null) => (kept === NOBODY ? undefined : (kept ?? undefined));

let confirmedId: string | undefined;
let lastId = parseAccountId(localStorage.getItem(KEY));

/** The account of this page, once the server has confirmed it. */
export const confirmedAccount = (): string | undefined => confirmedId;

/** The account that owns the local data: the last one signed in, also when offline. */
export const localAccount = (): string | undefined => confirmedId ?? lastId;

export function setAccount({ id, timezone }: { id: string; timezone: string }): void {
  confirmedId = id;
  lastId = id;
  localStorage.setItem(KEY, id);
  localStorage.setItem(ZONE_KEY, `${id} ${timezone}`);
}

/** The last known time zone of the account that owns the local data. */
export function lastTimezone(): string | undefined {
  const [id, timezone] = localStorage.getItem(ZONE_KEY)?.split(" ") ?? [];
  return id === localAccount() ? timezone : undefined;
}

/** Marks the browser as signed out. Other tabs then leave their pages. */
export function forgetAccount(): void {
  lastId = undefined;
  localStorage.setItem(KEY, NOBODY);
}

/** Marks this page's account as erased: its tabs then store nothing more. */
export function markAccountErased(): void {
  if (confirmedId) localStorage.setItem(ERASED_KEY, confirmedId);
}

export const erasedAccount = (): string | null => localStorage.getItem(ERASED_KEY);

/** Whether this page's account was erased, here or in another tab. */
export const isAccountErased = (): boolean => confirmedId !== undefined && erasedAccount() === confirmedId;

export const signedOutPath = () => (isAccountErased() ? "/sign-in?deleted" : "/sign-in");

/** Hides the page and navigates away, because the browser has another account now. Never resolves. */
export function redirect(to: string): Promise<void> {
  document.body.hidden = true;
  location.replace(to);
  return new Promise(() => {});
}

/** Leaves the page if another tab has signed out or signed in as another account. */
function redirectIfAccountChanged(): void {
  const now = localStorage.getItem(KEY);
  if (confirmedId === undefined || now === null || now === confirmedId) return;
  void redirect(now === NOBODY ? signedOutPath() : "/");
}

const isAccountRemoved = ({ key, newValue }: StorageEvent) => key === KEY && newValue === null;

/**
 * Leaves this page as soon as another tab has signed out or signed in as another account. A suspended tab checks when it
 * becomes visible; a page restored by Back is reloaded, hidden until then.
 *
 * @param checkSession called when another tab shows the sign-in page: the session may have ended
 */
export function watchAccountChange(checkSession: () => void): void {
  for (const event of ["storage", "focus"]) addEventListener(event, redirectIfAccountChanged);
  addEventListener("storage", (event) => isAccountRemoved(event) && checkSession());
  document.addEventListener("visibilitychange", redirectIfAccountChanged);
  addEventListener("pagehide", ({ persisted }) => {
    if (persisted) document.body.hidden = true;
  });
  addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
}
