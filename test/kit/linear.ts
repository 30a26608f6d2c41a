// Checks that a function takes time proportional to the length of its input: one request could block all others.

/** Lengths, each `STEP` times the one before. The last is about the largest text that a request can contain. */
const SIZES = [4_000, 64_000, 1_024_000];
const STEP = 16;
/** Garbage collection of a larger heap may double the time for the same number of characters; quadratic would be 16. */
export const MOST_GROWTH = 5;
/** Fast enough at any length: growth is not measured below this. Quadratic time would be minutes for a megabyte. */
const FAST_MS = 1_000;
/** An idle machine takes a twentieth of it. */
const MOST_MS = 10_000;
const PAIRS = 3;

/** Milliseconds of one run. The runtime's clock advances only during pauses. */
async function timeOf(run: () => void): Promise<number> {
  await scheduler.wait(0);
  const before = performance.now();
  run();
  await scheduler.wait(0);
  return performance.now() - before;
}

/** A text of the given length that repeats a shape. */
export const filled = (shape: string, length: number): string =>
  shape.repeat(Math.ceil(length / shape.length)).slice(0, length);

type Make = (length: number) => () => unknown;

/** Times for one large input, and for as many small ones in a row, so that a busy machine slows down both equally. */
async function pairOf(make: Make, size: number): Promise<{ large: number; small: number }> {
  const [large, small] = [make(size), make(size / STEP)];
  const repeated = () => {
    for (let run = 0; run < STEP; run++) small();
  };
  return { large: await timeOf(large), small: await timeOf(repeated) };
}

const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] as number;

/** So many runs of a short input take long enough to be measured, if they are slow. */
const RUNS = 2;
/** Not measured below this: quadratic time would be several times as much. */
const SHORT_MS = 40;

/** How many times as long a function takes for a short input as for `STEP` texts of a `STEP`th of its length. */
export async function growthOf(make: Make, size: number): Promise<number> {
  const several: Make = (length) => {
    const run = make(length);
    return () => {
      for (let runs = 0; runs < RUNS; runs++) run();
    };
  };
  if ((await timeOf(several(size))) <= SHORT_MS) return 1;
  const pairs: Awaited<ReturnType<typeof pairOf>>[] = [];
  while (pairs.length < PAIRS) pairs.push(await pairOf(several, size));
  // The fastest of each, because another process may slow down any of them.
  return Math.min(...pairs.map(({ large }) => large)) / Math.min(...pairs.map(({ small }) => small));
}

/**
 * What is wrong with the speed of a function, or undefined if it takes linear time up to a megabyte.
 *
 * @param make prepares a run with an input of the given length
 */
export async function slownessOf(make: Make): Promise<string | undefined> {
  for (const size of SIZES) {
    if ((await timeOf(make(size))) <= FAST_MS) continue;
    const pairs: Awaited<ReturnType<typeof pairOf>>[] = [];
    while (pairs.length < PAIRS) pairs.push(await pairOf(make, size));
    const growth = median(pairs.map(({ large, small }) => large / small));
    const fastest = Math.min(...pairs.map(({ large }) => large));
    if (growth > MOST_GROWTH || fastest > MOST_MS) {
      return `${fastest} ms for ${size} characters, ${growth} times as long as for ${STEP} texts of ${size / STEP}`;
    }
  }
  return undefined;
}
