// What a record is, besides what it says: its type, and the day on which it is due. An entry has facts as tokens of their
// own, so that they are neither words of its text nor counted in its length.

/** Prefix of a fact; ASCII punctuation, with which no word can begin. */
const FACT = ":";

/** The fact that a record is of a type (`decision`). */
export const typeFact = (type: string) => FACT + type;

/** The fact that a record has a due date. */
export const DUE = `${FACT}due`;

/** The fact that a record is due on a day, in a month or in a year: `2026-05-03`, `05-03`, `2026-05`, `05` or `2026`. */
export const dueFact = (date: string) => `${DUE}:${date}`;

/** The facts of a memory record; `due_date` is YYYY-MM-DD. */
export function factsOf({
  memory_type,
  due_date,
}: {
  memory_type: string;
  due_date: string | null;
}): string[] {
  if (due_date === null) return [typeFact(memory_type)];
  const [year = "", month = "", day = ""] = due_date.split("-");
  const dates = [due_date, `${month}-${day}`, `${year}-${month}`, month, year];
  return [typeFact(memory_type), DUE, ...dates.map(dueFact)];
}
