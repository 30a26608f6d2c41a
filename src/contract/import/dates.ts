type Times = { created_at?: Date | undefined; updated_at?: Date | undefined };
export type FileTimes = { birthtime: Date; mtime: Date };

const CREATED = ["created_at", "created", "date_created", "creation_date", "date", "published", "pubdate"];
const UPDATED = ["updated_at", "updated", "modified", "date_modified", "last_modified", "lastmod"];

const DATE =
  /^(\d{4})[-/](\d{2})[-/](\d{2})(?:[T ]+(\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)\s*(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** Reads a date, with or without a time and an offset; without one it is UTC. Undefined for anything else. */
export function readDate(value: unknown): Date | undefined {
  const text = value instanceof Date ? value.toISOString() : String(value).trim();
  const [found, year, month, day, time = "00:00", offset = "Z"] = DATE.exec(text) ?? [];
  if (found === undefined) return undefined;
  const zone = offset.replace(/^([+-]\d{2})(\d{2})$/, "$1:$2").toUpperCase();
  const date = new Date(`${year}-${month}-${day}T${time}${zone}`);
  const isReal = new Date(`${year}-${month}-${day}T00:00Z`).getUTCDate() === Number(day);
  return Number.isNaN(date.getTime()) || !isReal ? undefined : date;
}

/** The first valid date under one of the names, which are compared without case, spaces and hyphens. */
function dateIn(data: Record<string, unknown>, names: string[], notes: string[]): Date | undefined {
  const values = new Map(
    Object.entries(data).map(([name, value]) => [name.toLowerCase().replace(/[ -]/g, "_"), value]),
  );
  for (const name of names) {
    const value = values.get(name);
    if (value === undefined || value === null || value === "") continue;
    const date = readDate(value);
    if (date && date <= new Date()) return date;
    notes.push(`${name} is ${date ? "in the future" : "not a date"} and was not used`);
  }
  return undefined;
}

/** File systems that keep no creation time answer 1970. */
const bornAt = ({ birthtime, mtime }: FileTimes) =>
  birthtime.getTime() > 0 && birthtime < mtime ? birthtime : mtime;

/** When a text was created and changed: front matter first, then the file. `notes` receives dates that were no use. */
export function timesOf(data: Record<string, unknown>, file: FileTimes | undefined, notes: string[]): Times {
  const saidCreated = dateIn(data, CREATED, notes);
  const saidUpdated = dateIn(data, UPDATED, notes);
  const born = file && bornAt(file);
  const created_at = saidCreated ?? (!born || (saidUpdated && saidUpdated < born) ? saidUpdated : born);
  const changed = saidUpdated ?? file?.mtime;
  return { created_at, updated_at: changed && created_at && changed < created_at ? created_at : changed };
}
