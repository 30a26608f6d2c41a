export const WEEKDAY_CODES = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

/** A weekday (0 is Monday): each one, or the `nth` of the month or year, counted from its end if negative. */
export type RuleDay = { weekday: number; nth: number | undefined };

export const FREQUENCIES = ["DAILY", "WEEKLY", "MONTHLY", "YEARLY"] as const;

/** A rule of RFC 5545 (3.3.10) without its start. Lists are sorted, and empty if the rule lacks that part. */
export type Rule = {
  freq: (typeof FREQUENCIES)[number];
  interval: number;
  by_month: readonly number[];
  by_month_day: readonly number[];
  by_day: readonly RuleDay[];
  by_set_pos: readonly number[];
  count: number | undefined;
  /** The last day, YYYY-MM-DD. */
  until: string | undefined;
  /** The weekday on which a week begins; 0 is Monday. */
  week_start: number;
};
