import { byMinute, type Minute, type Sample, type Stored, slopeOf, usual } from "./soak-figures.ts";
import { GROUPS } from "./working-day.ts";

// What a long run is held to.

const WARM_UP = 0.1;
const GROWTH_MB = 1;
const DRIFT = 0.1;
const BYTES_DRIFT = 0.1;

/** What was seen of a run. `runtime` and `front` are their shares of the memory; `others`, how many processors other programs used. */
export type Seen = {
  minutes: Minute[];
  memory: Sample[];
  runtime: Sample[];
  front: Sample[];
  others: Sample[];
  stored: Stored[];
  errors: Failure[];
  answered: number;
};

/** A request that failed, and when, in minutes since the beginning. */
export type Failure = { minute: number; message: string };

/** A figure, its limit, and whether it was kept. */
export type Checked = [name: string, figure: string, limit: string, isKept: boolean | undefined];

/** The growth in the second half, and of it what is beyond the noise: twice the standard error. */
export function memoryChecked({ memory, runtime, front }: Seen, minutes: number): Checked[] {
  const inSecondHalf = (samples: Sample[]) =>
    byMinute(samples.filter(({ hours }) => hours * 60 > minutes / 2 && hours * 60 < minutes));
  const { slope, noise } = slopeOf(inSecondHalf(memory));
  const shown = (samples: Sample[]) => {
    const half = inSecondHalf(samples);
    return [half[0], half.at(-1)].map((sample) => sample?.value.toFixed(0)).join(" → ");
  };
  return [
    ["memory, middle → end, MB", shown(memory), "", undefined],
    ["  of the runtime", shown(runtime), "", undefined],
    ["  of the front", shown(front), "", undefined],
    [
      "growth of memory in the second half, MB an hour",
      `${slope.toFixed(1)} ± ${noise.toFixed(1)}`,
      `at most ${GROWTH_MB} beyond the noise`,
      slope - noise <= GROWTH_MB,
    ],
  ];
}

/** How busy others kept the machine in the first and the last third, which explains a p99 that drifts. */
function othersShown({ others }: Seen): string {
  const third = Math.floor(others.length / 3);
  const mean = (part: Sample[]) => part.reduce((sum, { value }) => sum + value, 0) / part.length;
  return [others.slice(0, third), others.slice(-third)].map((part) => mean(part).toFixed(1)).join(" → ");
}

export function latencyChecked(seen: Seen): Checked[] {
  const { minutes } = seen;
  const warm = minutes.slice(Math.ceil(minutes.length * WARM_UP));
  const third = Math.floor(warm.length / 3);
  const [first, last] = [warm.slice(0, third), warm.slice(-third)];
  const inBoth = (share: number, group?: (typeof GROUPS)[number]) =>
    [first, last].map((part) => usual(part, share, group));
  const shown = (figures: number[]) => figures.map((ms) => ms.toFixed(0)).join(" → ");
  const [before = 0, after = 0] = inBoth(0.99);
  const drift = after / before - 1;
  return [
    ["p50, first → last third, ms", shown(inBoth(0.5)), "", undefined],
    [
      "p99, first → last third, ms",
      `${shown([before, after])} (${(drift * 100).toFixed(0)} %)`,
      `at most ${DRIFT * 100} % more`,
      drift <= DRIFT,
    ],
    ...GROUPS.map((group): Checked => [`  of each ${group}`, shown(inBoth(0.99, group)), "", undefined]),
    ["processors that other programs used, first → last third", othersShown(seen), "", undefined],
  ];
}

/** The bytes that each new row took in the first and in the second half: what is written is of the same kinds in both. */
export function diskChecked({ stored }: Seen): Checked[] {
  const perNewRow = stored.slice(1).map(({ rows, bytes }, half) => {
    const before = stored[half] as Stored;
    return (bytes - before.bytes) / (rows - before.rows);
  });
  const [first = 0, second = 0] = perNewRow;
  const inTurn = (values: number[]) => values.map((value) => value.toFixed(0)).join(" → ");
  return [
    [
      "rows at the beginning → in the middle → at the end",
      inTurn(stored.map(({ rows }) => rows)),
      "",
      undefined,
    ],
    ["bytes on disk per row", inTurn(stored.map(({ rows, bytes }) => bytes / rows)), "", undefined],
    [
      "bytes on disk per new row, first → second half",
      inTurn(perNewRow),
      `at most ${BYTES_DRIFT * 100} % more`,
      second <= first * (1 + BYTES_DRIFT),
    ],
  ];
}

/** How often requests failed for each reason, and from which minute to which. */
export function failuresShown(errors: Failure[]): string[] {
  const reasons = Map.groupBy(errors, ({ message }) => message);
  return [...reasons].map(([message, all]) => {
    const minutes = all.map(({ minute }) => minute);
    return `${all.length} times, minutes ${Math.min(...minutes)} to ${Math.max(...minutes)}: ${message}`;
  });
}
