/** The media query of the layout without a sidebar. */
export const PHONE = "(max-width: 48rem)";
