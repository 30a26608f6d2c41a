import { secretIn } from "../text/secrets.ts";
import { type Word, words } from "../text/words.ts";
import type { Finding, TidyKind } from "./kinds.ts";
import type { Thing } from "./mark.ts";

// What can be said of one thing without the others.

const folded = (list: string) => new Set(words(list).map(({ text }) => text));
const DONE = folded("done finished completed erledigt fertig abgeschlossen");
const PAST = folded(
  "sent paid delivered submitted signed shipped booked cancelled canceled returned ordered published called answered " +
    "geschickt gesendet bezahlt geliefert eingereicht unterschrieben gebucht storniert bestellt veröffentlicht beantwortet",
);
const ALREADY = folded("already bereits schon längst");
/** Before or after it, they make it a wish, a condition or a question. */
const BEFORE = folded(
  "not until once when if be being get getting gets have having needs need to must should will would can cannot could before " +
    "after t bis wenn sobald falls nicht muss soll sollte wird werden noch half almost nearly fast halb zu who what how you",
);
const AFTER = folded("by before until when if after bis wenn vor werden sein muss soll");
/** Directly before it: “the finished cake”. */
const JUST_BEFORE = folded("the a an der die das den well");
/** How many words before it are read, within its sentence. */
const REACH = 3;
const SENTENCE_END = /[.!?;\n]/;
const TICKED = /✅|☑|✔|\[[xX]\]/;

/** The words before a place in its sentence, the nearest first. */
function wordsBefore(text: string, found: readonly Word[], place: number): string[] {
  const before: string[] = [];
  for (let at = place; at > 0 && before.length < REACH; at--) {
    const [one, next] = [found[at - 1], found[at]];
    if (!one || !next || SENTENCE_END.test(text.slice(one.end, next.start))) break;
    before.push(one.text);
  }
  return before;
}

function isOpenWish(text: string, found: readonly Word[], place: number): boolean {
  const before = wordsBefore(text, found, place);
  const next = found[place + 1]?.text ?? "";
  return before.some((word) => BEFORE.has(word)) || JUST_BEFORE.has(before[0] ?? "") || AFTER.has(next);
}

/** The word by which a text says that what it promises is done; undefined if it does not. */
export function saysDone(text: string): string | undefined {
  const ticked = TICKED.exec(text);
  if (ticked) return ticked[0];
  const found = words(text);
  for (const [place, { text: word, start, end }] of found.entries()) {
    const isSaid = DONE.has(word) || (PAST.has(word) && ALREADY.has(found[place - 1]?.text ?? ""));
    if (isSaid && !isOpenWish(text, found, place)) return text.slice(start, end);
  }
  return undefined;
}

const YEAR_DAYS = 365;

/** Whether a thing was left alone for a year, on the day `today`. */
const isUnused = ({ changed }: Thing, today: string): boolean =>
  changed !== null && Date.parse(today) - Date.parse(changed.slice(0, 10)) > YEAR_DAYS * 86_400_000;

/** What its title or its text has that looks like a secret; undefined for nothing. */
export const secretOf = ({ title, text }: Pick<Thing, "title" | "text">): string | undefined =>
  secretIn(title) ?? secretIn(text);

/** What is found in one thing, in time linear in its text. `today` is a day such as 2026-11-25. */
export function findAlone(thing: Thing, today: string): Finding[] {
  const { type, id, title, text, memory_type, changed } = thing;
  const found = (kind: TidyKind, detail: string): Finding => ({ kind, items: [{ type, id }], detail });
  const findings: Finding[] = [];
  const secret = secretOf(thing);
  if (secret !== undefined) findings.push(found("secret", secret));
  if (type === "document")
    return isUnused(thing, today)
      ? [...findings, found("unused_document", changed?.slice(0, 10) ?? "")]
      : findings;
  const done = memory_type === "commitment" ? (saysDone(text) ?? saysDone(title)) : undefined;
  if (done !== undefined) findings.push(found("said_done", done));
  if (memory_type !== null && words(title).length === 1) findings.push(found("one_word_topic", title));
  return findings;
}
