// Where a sign-in leads back to. Only pages of our own, so that a link to the form cannot send anybody elsewhere.

const OWN_PAGES = /^\/(authorize\?|open\/(doc|memory)\/)[\x21-\x5b\x5d-\x7e]*$/;

/** The path to go to, or undefined when it is not one of our pages. */
export const readDestination = (to: string | undefined): string | undefined =>
  to && OWN_PAGES.test(to) ? to : undefined;

/** The address of the form that leads to a page. */
export const signInAddress = (to: string, form: "" | "/register" = "") =>
  `/sign-in${form}?to=${encodeURIComponent(to)}`;
