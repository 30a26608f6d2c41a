import { readDay, writeDay } from "./calendar.ts";
import { daysOf } from "./occurrences.ts";
import type { Rule } from "./shape.ts";

/**
 * The day on which something that repeats begins, which is the rule's anchor from then on. "Every other Friday" begins on
 * the next Friday, however far into the week `from` is.
 *
 * @returns the first day that fits the rule, `from` included; undefined if the rule is over or has none
 */
export function firstDay(rule: Rule, { from }: { from: string }): string | undefined {
  const after = writeDay(readDay(from) - 1);
  return daysOf({ ...rule, interval: 1 }, { anchor: from, after, limit: 1 })[0];
}
