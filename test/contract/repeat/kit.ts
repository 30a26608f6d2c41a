import fc from "fast-check";
import { type Rule, readRule } from "../../../src/contract/repeat/rule.ts";

/** A Wednesday. */
export const TODAY = "2026-11-25";

/** A rule that is known to be right, also one that is over today. */
export function ruleWith(text: string): Rule {
  const read = readRule(text, { today: "1970-01-01" });
  if ("problem" in read) throw new Error(`${text}: ${read.problem}`);
  return read.rule;
}

const some = <T>(values: readonly T[], maxLength = 4) =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength });
const part = (name: string, values: fc.Arbitrary<unknown>) =>
  fc.option(
    values.map((value) => `${name}=${value}`),
    { nil: undefined },
  );

const CODES = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];
const ORDINALS = [1, 2, 3, 4, 5, -1, -2, -5].flatMap((nth) => CODES.map((code) => `${nth}${code}`));
const months = part("BYMONTH", some([1, 2, 3, 6, 11, 12]));
const dates = part("BYMONTHDAY", some([1, 2, 13, 15, 28, 29, 30, 31, -1, -2, -31]));
const places = part("BYSETPOS", some([1, 2, 3, -1, -2]));
const ends = part("COUNT", fc.integer({ min: 1, max: 40 }));
const common = [
  part("INTERVAL", fc.constantFrom(1, 2, 3, 4, 5, 7, 12, 14, 24)),
  part("WKST", fc.constantFrom(...CODES)),
  ends,
  months,
];

const rule = (freq: string, ...parts: fc.Arbitrary<string | undefined>[]) =>
  fc.tuple(...common, ...parts).map((all) => [`FREQ=${freq}`, ...all.filter(Boolean)].join(";"));

/** Rules that are right and occur some day. */
export const rulesAsText = fc
  .oneof(
    rule("DAILY", part("BYDAY", some(CODES)), dates),
    rule("WEEKLY", part("BYDAY", some(CODES)), places),
    rule("MONTHLY", part("BYDAY", some([...CODES, ...ORDINALS])), dates, places),
    rule("YEARLY", part("BYDAY", some([...CODES, ...ORDINALS])), dates, places),
  )
  .filter((text) => !("problem" in readRule(text, { today: TODAY })));
