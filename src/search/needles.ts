import { BEGINNING, beginning, STEM, stem } from "../text-index/forms.ts";
import { isContracted } from "../text-index/identifiers.ts";
import { words } from "../contract/text/words.ts";
import { asksForPast, pastFormsOf } from "./past-forms.ts";
import type { Corrections } from "../engine/plan.ts";
import type { Query, Term } from "../contract/query/query.ts";

/** A word of a query with every form that a word of a text may match (see forms.ts). */
export type Needle = {
  readonly text: string;
  readonly forms: ReadonlySet<string>;
  /** `pre*`: every word with this prefix matches */
  readonly prefix: boolean;
};

function needle(text: string, prefix: boolean, past: readonly string[]): Needle {
  const forms = [text, ...past].flatMap((one) => [
    one,
    stem(one),
    STEM + stem(one),
    BEGINNING + beginning(one),
  ]);
  return { text, prefix, forms: new Set(forms) };
}

/**
 * The words that a snippet should show, each once.
 *
 * @param dropped words that count only inside phrases
 */
export function needlesOf(query: Query, corrections: Corrections, dropped: ReadonlySet<string>): Needle[] {
  const terms = query.wanted.flat();
  const read = ({ text }: Term) =>
    words(text).flatMap((word) =>
      isContracted(text, word) ? [] : (corrections.get(word.text) ?? [word.text]),
    );
  const spoken = terms.filter(({ kind }) => kind === "text").flatMap(read);
  const past = asksForPast(spoken) ? pastFormsOf : () => [];
  const needles = terms.flatMap((term) => {
    const kept = read(term).filter((word) => term.kind !== "text" || !dropped.has(word));
    return kept.map((word) => needle(word, term.kind === "prefix", past(word)));
  });
  return [...new Map(needles.map((one) => [`${one.prefix}${one.text}`, one])).values()];
}
