import { dueFact } from "../text-index/facts.ts";
import type { Dated } from "../contract/query/dates.ts";
import { anyOf, near, quote, sequence } from "./expression.ts";
import type { Bonus } from "../engine/plan.ts";

/** What a date of a query finds in an owner's index: its spellings and, among records, what is due then. */
export function dateBonus(
  prefix: string,
  { name, digits, spellings, weight }: Dated,
  records = false,
): Bonus {
  const spelled = spellings.map(({ words, apart }) => {
    const tokens = words.map((word) => prefix + word);
    return apart ? near(tokens[0] ?? "", tokens[1] ?? "") : sequence(tokens);
  });
  const facts = records ? digits.map(dueFact) : [];
  const expression = anyOf([...spelled, ...facts.map((fact) => quote(prefix + fact))]);
  return { kind: "date", units: [], weight, name, facts, expression };
}
