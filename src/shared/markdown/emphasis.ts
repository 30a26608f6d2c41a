// CommonMark 0.31, section 6.2.

/** A delimiter run, as an element of a linked list. */
export type DelimiterRun = {
  sign: string;
  /** Number of signs that are not yet part of markup. */
  left: number;
  /** Number of signs in the text. */
  length: number;
  opens: boolean;
  closes: boolean;
  previous: DelimiterRun | undefined;
  next: DelimiterRun | undefined;
};

/** The class of the character beside a run. The edge of the text counts as white space. */
type CharacterClass = "space" | "punctuation" | "word";

const isAsciiPunctuation = (code: number) =>
  (code > 0x20 && code < 0x30) ||
  (code > 0x39 && code < 0x41) ||
  (code > 0x5a && code < 0x61) ||
  (code > 0x7a && code < 0x7f);

function characterClass(character: string): CharacterClass {
  const code = character.charCodeAt(0);
  if (isAsciiPunctuation(code)) return "punctuation";
  if (code > 0x20 && code < 0x7f) return "word";
  if (character === "" || /\s/.test(character)) return "space";
  return /[\p{P}\p{S}]/u.test(character) ? "punctuation" : "word";
}

const flanks = (inside: CharacterClass, outside: CharacterClass) =>
  inside === "word" || (inside === "punctuation" && outside !== "word");

/** Creates a delimiter run between two characters, which are empty at the edges of the text. */
export function makeRun(before: string, signs: string, after: string): DelimiterRun {
  const [sideBefore, sideAfter] = [characterClass(before), characterClass(after)];
  const left = flanks(sideAfter, sideBefore);
  const right = flanks(sideBefore, sideAfter);
  const isUnderscore = signs.startsWith("_");
  return {
    sign: signs.charAt(0),
    left: signs.length,
    length: signs.length,
    opens: left && (!isUnderscore || !right || sideBefore === "punctuation"),
    closes: right && (!isUnderscore || !left || sideAfter === "punctuation"),
    previous: undefined,
    next: undefined,
  };
}

function canPair(opener: DelimiterRun, closer: DelimiterRun): boolean {
  if (!opener.opens || opener.sign !== closer.sign) return false;
  const isMixed = opener.closes || closer.opens;
  const sum = opener.length + closer.length;
  return !isMixed || sum % 3 !== 0 || (opener.length % 3 === 0 && closer.length % 3 === 0);
}

export type DelimiterRuns = { last: DelimiterRun | undefined };

export function addRun(runs: DelimiterRuns, run: DelimiterRun): void {
  run.previous = runs.last;
  if (runs.last) runs.last.next = run;
  runs.last = run;
}

/** Removes the delimiters that are markup from the runs after `bottom`, and discards those runs. */
export function pairRuns(runs: DelimiterRuns, bottom: DelimiterRun | undefined): void {
  // Searching again where nothing was found before would be quadratic.
  const searched: Searched = [];
  let run = firstAfter(runs, bottom);
  while (run) run = pairRun(run, bottom, searched);
  runs.last = bottom;
  if (bottom) bottom.next = undefined;
}

/** For each kind of closing run, the run after which there is no opener. */
type Searched = (DelimiterRun | undefined)[];

function firstAfter({ last }: DelimiterRuns, bottom: DelimiterRun | undefined): DelimiterRun | undefined {
  if (bottom) return bottom.next;
  let first = last;
  while (first?.previous) first = first.previous;
  return first;
}

/** Pairs a run with an earlier one that it closes, if any. Returns the run to continue with. */
function pairRun(
  run: DelimiterRun,
  bottom: DelimiterRun | undefined,
  searched: Searched,
): DelimiterRun | undefined {
  const { next } = run;
  if (!run.closes) return next;
  const kind = (run.sign === "*" ? 0 : 6) + (run.opens ? 3 : 0) + (run.length % 3);
  const opener = findOpener(run, kind in searched ? searched[kind] : bottom);
  if (opener) return pairSigns(opener, run);
  searched[kind] = run.previous;
  if (!run.opens) remove(run);
  return next;
}

function findOpener(closer: DelimiterRun, bottom: DelimiterRun | undefined): DelimiterRun | undefined {
  let opener = closer.previous;
  while (opener && opener !== bottom && !canPair(opener, closer)) opener = opener.previous;
  return opener === bottom ? undefined : opener;
}

function pairSigns(opener: DelimiterRun, closer: DelimiterRun): DelimiterRun | undefined {
  const signs = opener.left >= 2 && closer.left >= 2 ? 2 : 1;
  opener.left -= signs;
  closer.left -= signs;
  opener.next = closer;
  closer.previous = opener;
  if (opener.left === 0) remove(opener);
  if (closer.left > 0) return closer;
  remove(closer);
  return closer.next;
}

function remove({ previous, next }: DelimiterRun): void {
  if (previous) previous.next = next;
  if (next) next.previous = previous;
}
