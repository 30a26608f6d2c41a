import { APP_PATHS } from "../../contract/paths.ts";

// Where to go after a sign-in. Only our own pages, so that a link to the form cannot redirect anybody elsewhere.

const OWN_PAGES = new RegExp(`^/(authorize\\?.*|(docs|open/(doc|memory)/.+|${APP_PATHS})([?#].*)?)$`);

const ORIGIN = "https://commonplace.invalid";

/** Whether this is the path of a page of this very host, written as a browser writes it: one that it reads in no other way. */
const isNormal = (to: string) =>
  to.startsWith("/") && URL.canParse(to, ORIGIN) && new URL(to, ORIGIN).href === ORIGIN + to;

export const readDestination = (to: string | undefined): string | undefined =>
  to && OWN_PAGES.test(to) && isNormal(to) ? to : undefined;

/** The sign-in form that then continues to a page; `isExpired` says that the person was signed in before. */
export const signInAddress = (to: string, isExpired = false): string =>
  `/sign-in?to=${encodeURIComponent(to)}${isExpired ? "&expired=1" : ""}`;
