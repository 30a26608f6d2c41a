import type { TidyFinding, TidyKind } from "../../contract/tidy-kinds.ts";
import { secretKindIn } from "../text/secrets.ts";
import { splitWords, type Word } from "../text/words.ts";
import { foldedWords, type TidySubject } from "./fingerprint.ts";

// Findings about a single record or document.

const DONE = foldedWords("done finished completed erledigt fertig abgeschlossen");
const PAST = foldedWords(
  "sent paid delivered submitted signed shipped booked cancelled canceled returned ordered published called answered " +
    "geschickt gesendet bezahlt geliefert eingereicht unterschrieben gebucht storniert bestellt veröffentlicht beantwortet",
);
const ALREADY = foldedWords("already bereits schon längst");
/** Words before or after it that make it a wish, a condition or a question. */
const BEFORE = foldedWords(
  "not until once when if be being get getting gets have having needs need to must should will would can cannot could before " +
    "after t bis wenn sobald falls nicht muss soll sollte wird werden noch half almost nearly fast halb zu who what how you",
);
const AFTER = foldedWords("by before until when if after bis wenn vor werden sein muss soll");
/** Words directly before it: “the finished cake”. */
const JUST_BEFORE = foldedWords("the a an der die das den well");
/** Number of words before it that are checked, within the sentence. */
const REACH = 3;
const SENTENCE_END = /[.!?;\n]/;
const TICKED = /✅|☑|✔|\[[xX]\]/;

/** The words before a position in its sentence, nearest first. */
function wordsBefore(text: string, found: readonly Word[], index: number): string[] {
  const before: string[] = [];
  for (let at = index; at > 0 && before.length < REACH; at--) {
    const [one, next] = [found[at - 1], found[at]];
    if (!one || !next || SENTENCE_END.test(text.slice(one.end, next.start))) break;
    before.push(one.text);
  }
  return before;
}

function isNotYetDone(text: string, found: readonly Word[], index: number): boolean {
  const before = wordsBefore(text, found, index);
  const next = found[index + 1]?.text ?? "";
  return before.some((word) => BEFORE.has(word)) || JUST_BEFORE.has(before[0] ?? "") || AFTER.has(next);
}

/** The word by which a text says that it is done; undefined if it does not. */
export function doneWord(text: string): string | undefined {
  const ticked = TICKED.exec(text);
  if (ticked) return ticked[0];
  const found = splitWords(text);
  for (const [index, { text: word, start, end }] of found.entries()) {
    const isSaid = DONE.has(word) || (PAST.has(word) && ALREADY.has(found[index - 1]?.text ?? ""));
    if (isSaid && !isNotYetDone(text, found, index)) return text.slice(start, end);
  }
  return undefined;
}

/** Days without a change after which a document is told: as unused, or as one without links. */
const UNUSED_DAYS = 365;
const UNLINKED_DAYS = 28;

function agedDocumentKind({ changed, is_linked }: TidySubject, today: string): TidyKind | undefined {
  const days = changed === null ? 0 : (Date.parse(today) - Date.parse(changed.slice(0, 10))) / 86_400_000;
  if (days > UNUSED_DAYS) return "unused_document";
  return is_linked === false && days > UNLINKED_DAYS ? "unlinked_document" : undefined;
}

/** The kind of secret that its title or text seems to contain; undefined if there is none. */
export const secretInSubject = ({ title, text }: Pick<TidySubject, "title" | "text">): string | undefined =>
  secretKindIn(title) ?? secretKindIn(text);

/** The findings about one record or document. Linear in its text. `today` is a day such as 2026-11-25. */
export function findInSubject(subject: TidySubject, today: string): TidyFinding[] {
  const { type, id, title, text, memory_type, changed } = subject;
  const makeFinding = (kind: TidyKind, detail: string) => ({ kind, items: [{ type, id }], detail });
  const findings: TidyFinding[] = [];
  const secret = secretInSubject(subject);
  if (secret !== undefined) findings.push(makeFinding("secret", secret));
  if (type === "document") {
    const kind = agedDocumentKind(subject, today);
    return kind ? [...findings, makeFinding(kind, changed?.slice(0, 10) ?? "")] : findings;
  }
  const done = memory_type === "commitment" ? (doneWord(text) ?? doneWord(title)) : undefined;
  if (done !== undefined) findings.push(makeFinding("said_done", done));
  if (memory_type !== null && splitWords(title).length === 1)
    findings.push(makeFinding("one_word_topic", title));
  return findings;
}
