import { TITLED_SCREENS, type TitledScreenName } from "../../../src/contract/paths.ts";

/** The media query of the layout without a sidebar. */
export const PHONE = "(max-width: 48rem)";

const BAR: readonly string[] = [
  "today",
  "search",
  "documents",
  "records",
  "settings",
] satisfies TitledScreenName[];

/** The screens in the bar of a phone, which has no room for more. */
export const BAR_SCREENS = TITLED_SCREENS.filter(({ name }) => BAR.includes(name));

/** The other screens, which a phone reaches through Settings. */
export const OTHER_SCREENS = TITLED_SCREENS.filter(({ name }) => !BAR.includes(name));
