import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import { openSnapshot, requireDatabaseFile } from "../scripts/common/local-database.ts";
import { median, quantile } from "./table.ts";
import { GROUPS, type Group } from "./working-day.ts";

// What is read off a long run.

/** Something that was measured at a moment, in hours since the beginning. */
export type Sample = { hours: number; value: number };

const MINUTE = 1 / 60;

/** The median of each whole minute, so that one collection of garbage does not count. */
export function byMinute(samples: Sample[]): Sample[] {
  const minutes = Map.groupBy(samples, ({ hours }) => Math.floor(hours / MINUTE));
  return [...minutes].map(([minute, all]) => ({
    hours: (minute + 0.5) * MINUTE,
    value: median(all.map(({ value }) => value)),
  }));
}

/** The slope per hour (least squares) and twice its standard error. */
export function slopeOf(samples: Sample[]): { slope: number; noise: number } {
  const count = samples.length;
  const mean = (of: (sample: Sample) => number) => samples.reduce((sum, one) => sum + of(one), 0) / count;
  const [hours, value] = [mean((one) => one.hours), mean((one) => one.value)];
  const spread = samples.reduce((sum, one) => sum + (one.hours - hours) ** 2, 0);
  const slope = samples.reduce((sum, one) => sum + (one.hours - hours) * (one.value - value), 0) / spread;
  const left = samples.reduce((sum, one) => sum + (one.value - value - slope * (one.hours - hours)) ** 2, 0);
  return { slope, noise: 2 * Math.sqrt(left / (count - 2) / spread) };
}

/** The latencies of one minute. */
export type Minute = Record<Group, number[]>;

export const newMinute = (): Minute => ({ read: [], search: [], write: [], tool: [] });

/** The median over minutes of a quantile, of everything or of one group. */
export const usual = (minutes: Minute[], share: number, group?: Group) =>
  median(
    minutes.map((minute) => quantile(group ? minute[group] : GROUPS.flatMap((one) => minute[one]), share)),
  );

const TICKS_PER_SECOND = 100;

/** The seconds of processor time that a process has used (Linux only, see proc_pid_stat). */
function secondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** The processor time of everything on this machine, and of these processes and this one. In seconds. */
export function processorTime(pids: number[]): { all: number; own: number } {
  const busy = cpus().map(({ times: { idle: _, ...times } }) => Object.values(times));
  const all = busy.flat().reduce((sum, ms) => sum + ms / 1000, 0);
  return { all, own: [...pids, process.pid].reduce((sum, pid) => sum + secondsOf(pid), 0) };
}

/** The rows of all tables, and the bytes of the database file. */
export type Stored = { rows: number; bytes: number };

/** Reads them while the copy runs. */
export async function storedIn(stateDir: string): Promise<Stored> {
  const source = openSnapshot(requireDatabaseFile(stateDir));
  try {
    const tables = await source.query(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'",
    );
    const counts = tables.map(({ name }) => `(SELECT count(*) FROM "${name}")`);
    const [found] = await source.query(
      `SELECT ${counts.join(" + ")} AS rows, page_count * page_size AS bytes
        FROM pragma_page_count, pragma_page_size`,
    );
    return { rows: Number(found?.rows), bytes: Number(found?.bytes) };
  } finally {
    source.close();
  }
}
