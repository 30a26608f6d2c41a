import { formatDay, parseDay } from "./day-numbers.ts";
import { listOccurrences } from "./occurrences.ts";
import type { Rule } from "./shape.ts";

/**
 * The first day of a repetition, which becomes the rule's anchor. "Every other Friday" begins on the next Friday, wherever in
 * the week `from` is.
 *
 * @returns the first day on or after `from` that fits the rule; undefined if the rule has ended or never occurs
 */
export function firstOccurrence(rule: Rule, { from }: { from: string }): string | undefined {
  const after = formatDay(parseDay(from) - 1);
  return listOccurrences({ ...rule, interval: 1 }, { anchor: from, after, limit: 1 })[0];
}
