/** Where there is no sidebar, as a media query. */
export const PHONE = "(max-width: 48rem)";
