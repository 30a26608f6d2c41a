// Names of weekdays and months. Weeks start on Monday (ISO 8601).

export const WEEKDAY_NAMES = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(" ");

export const MONTH_NAMES =
  "January February March April May June July August September October November December".split(" ");

const lower = (names: readonly string[]) => names.map((name) => name.toLowerCase());

/** In lower case, for comparison with what people type. */
export const ENGLISH_WEEKDAYS = lower(WEEKDAY_NAMES);
export const ENGLISH_MONTHS = lower(MONTH_NAMES);
export const GERMAN_WEEKDAYS = "montag dienstag mittwoch donnerstag freitag samstag sonntag".split(" ");
export const GERMAN_MONTHS =
  "januar februar märz april mai juni juli august september oktober november dezember".split(" ");
