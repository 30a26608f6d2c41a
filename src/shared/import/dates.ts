import { Temporal } from "temporal-polyfill";

type Times = { created_at?: Date | undefined; updated_at?: Date | undefined };
export type FileTimes = { birthtime: Date; mtime: Date };

const CREATED = ["created_at", "created", "date_created", "creation_date", "date", "published", "pubdate"];
const UPDATED = ["updated_at", "updated", "modified", "date_modified", "last_modified", "lastmod"];

const DATE = /^(\d{4})[-/](\d{2})[-/](\d{2})(?:[T ]+(\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)\s*(.{0,80}))?$/i;

const OFFSET = /^(?:(Z|UTC|GMT)|([+-]\d{2})(?::?(\d{2}))?)(?:\[[^[\]]+\])?$/i;

/** A local time in a named zone, such as `Europe/Berlin` or `[Europe/Berlin]`; undefined for an unknown zone. */
function inZone(wall: string, name: string): Date | undefined {
  try {
    const zone = name.replace(/^\[(.*)\]$/, "$1");
    return new Date(Temporal.PlainDateTime.from(wall).toZonedDateTime(zone).epochMilliseconds);
  } catch {
    return undefined;
  }
}

/** Reads a date with an optional time and an optional offset or zone (default UTC). Undefined for anything else. */
export function readDate(value: unknown): Date | undefined {
  const [found, year, month, day, time = "00:00", zone = ""] = DATE.exec(String(value).trim()) ?? [];
  if (found === undefined) return undefined;
  const wall = `${year}-${month}-${day}T${time.padStart(time.indexOf(":") === 1 ? time.length + 1 : 0, "0")}`;
  const [known, , hours = "+00", minutes = "00"] = OFFSET.exec(zone || "Z") ?? [];
  const date = known === undefined ? inZone(wall, zone) : new Date(`${wall}${hours}:${minutes}`);
  const isReal = new Date(`${year}-${month}-${day}T00:00Z`).getUTCDate() === Number(day);
  return !date || Number.isNaN(date.getTime()) || !isReal ? undefined : date;
}

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

/** File systems without creation times report 1970. */
const creationTime = ({ birthtime, mtime }: FileTimes) =>
  birthtime.getTime() > 0 && birthtime < mtime ? birthtime : mtime;

/** When a text was created and updated: from front matter, else from the file. Adds a note for each unusable date. */
export function readTimes(
  data: Record<string, unknown>,
  file: FileTimes | undefined,
  notes: string[],
): Times {
  const statedCreated = dateIn(data, CREATED, notes);
  const statedUpdated = dateIn(data, UPDATED, notes);
  const born = file && creationTime(file);
  const created_at =
    statedCreated ?? (!born || (statedUpdated && statedUpdated < born) ? statedUpdated : born);
  const changed = statedUpdated ?? file?.mtime;
  return { created_at, updated_at: changed && created_at && changed < created_at ? created_at : changed };
}
