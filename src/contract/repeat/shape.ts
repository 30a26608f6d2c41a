export const WEEKDAY_CODES = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

/** Which weekday (0 is Monday): each, or the `nth` of the month or year, from its end if negative. */
export type RuleDay = { weekday: number; nth: number | undefined };

export const FREQUENCIES = ["DAILY", "WEEKLY", "MONTHLY", "YEARLY"] as const;

/** A rule of RFC 5545 (3.3.10) without its start. Lists are sorted, and empty where the rule does not have that part. */
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
