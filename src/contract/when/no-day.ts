import { findDay, readDay } from "./day.ts";
import { repetitionsIn } from "./repetition.ts";

const TIME =
  /(?:\b(?:at|um|@)\s*)?\b(?:\d{1,2}[:.]\d{2}(?:\s*(?:am|pm|uhr|h))?|\d{1,2}\s*(?:am|pm|uhr|h))\b|\b(?:noon|midnight)\b/iu;

/** Explains why a text is not a day, and what to write instead. */
export function whyNoDay(text: string, today: string): string {
  const phrase = text.trim();
  if (repetitionsIn(phrase).length > 0)
    return "Only one day can be named here, such as “fri”: leave out how often it repeats.";
  const time = TIME.exec(phrase)?.[0];
  const rest = time && phrase.replace(time, " ").trim();
  if (rest && readDay(rest, today))
    return `Only a day can be named here, without a time: leave out “${time.trim()}”.`;
  const found = findDay(phrase, today);
  if (found) return `Only “${phrase.slice(found.start, found.end)}” is a day here: leave out the rest.`;
  return `“${phrase.slice(0, 40)}” is no day that is known here. Try “fri”, “in 2 weeks” or “3.12.”`;
}
