// Where to go after a sign-in. Only our own pages, so that a link to the form cannot redirect anybody elsewhere.

const APP = "documents(/.*)?|records(/.*)?|settings(/.*)?|search|history|activity|share";
const OWN_PAGES = new RegExp(`^/(authorize\\?.*|(docs|open/(doc|memory)/.+|${APP})?([?#].*)?)$`);

const ORIGIN = "https://commonplace.invalid";

/** Whether this is the path of a page of this very host, written as a browser writes it: one that it reads in no other way. */
const isNormal = (to: string) =>
  to.startsWith("/") && URL.canParse(to, ORIGIN) && new URL(to, ORIGIN).href === ORIGIN + to;

/** The path to continue to, or undefined when it is not one of our pages. */
export const readDestination = (to: string | undefined): string | undefined =>
  to && OWN_PAGES.test(to) && isNormal(to) ? to : undefined;

/**
 * The URL of the sign-in form that then continues to a page.
 *
 * @param isExpired whether the person has been signed in before
 */
export const signInAddress = (to: string, isExpired = false): string =>
  `/sign-in?to=${encodeURIComponent(to)}${isExpired ? "&expired=1" : ""}`;
