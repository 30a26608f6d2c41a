// Where to go after a sign-in. Only our own pages, so that a link to the form cannot redirect anybody elsewhere.

const OWN_PAGES = /^\/(authorize\?|open\/(doc|memory)\/)[\x21-\x5b\x5d-\x7e]*$/;

/** The path to continue to, or undefined when it is not one of our pages. */
export const readDestination = (to: string | undefined): string | undefined =>
  to && OWN_PAGES.test(to) ? to : undefined;

/** The URL of the sign-in form that then continues to a page. */
export const signInAddress = (to: string, form: "" | "/register" = "") =>
  `/sign-in${form}?to=${encodeURIComponent(to)}`;
