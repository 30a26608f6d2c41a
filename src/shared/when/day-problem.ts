import { findDay, readDay } from "./day.ts";
import { findRepetitions } from "./repetition.ts";

const TIME =
  /(?:\b(?:at|um|@)\s*)?\b(?:\d{1,2}[:.]\d{2}(?:\s*(?:am|pm|uhr|h))?|\d{1,2}\s*(?:am|pm|uhr|h))\b|\b(?:noon|midnight)\b/iu;

export function dayProblem(text: string, today: string): string {
  const phrase = text.trim();
  if (findRepetitions(phrase).length > 0) return "Enter a single day, such as “fri”, without a repetition.";
  const time = TIME.exec(phrase)?.[0];
  const rest = time && phrase.replace(time, " ").trim();
  if (rest && readDay(rest, today)) return `Enter only a day, without a time: leave out “${time.trim()}”.`;
  const found = findDay(phrase, today);
  if (found)
    return `Only “${phrase.slice(found.start, found.end)}” was understood as a day: leave out the rest.`;
  return `“${phrase.slice(0, 40)}” isn't a day we recognize. Try “fri”, “in 2 weeks” or “3.12.”`;
}
