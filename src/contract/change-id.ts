// Numbers of the ledger that name what a write changed, so that it can be undone: `57` or `57-59,61`.

/** How many numbers and ranges one id has; a write whose changes are scattered further is not named. */
const MAX_PARTS = 100;

type Range = { first: number; last: number };

const NUMBER = String.raw`[1-9]\d{0,14}`;
const PART = `${NUMBER}(-${NUMBER})?`;

export const CHANGE_ID = new RegExp(`^${PART}(,${PART}){0,${MAX_PARTS - 1}}$`);

function rangesOf(numbers: readonly number[]): Range[] {
  const ranges: Range[] = [];
  for (const number of [...new Set(numbers)].sort((a, b) => a - b)) {
    const range = ranges.at(-1);
    if (range && range.last === number - 1) range.last = number;
    else ranges.push({ first: number, last: number });
  }
  return ranges;
}

const written = ({ first, last }: Range) => (first === last ? String(first) : `${first}-${last}`);

/** The id that names these changes; undefined for none, and for those that are scattered over too many ranges. */
export function changeIdOf(numbers: readonly number[]): string | undefined {
  const ranges = rangesOf(numbers);
  return ranges.length > 0 && ranges.length <= MAX_PARTS ? ranges.map(written).join(",") : undefined;
}

function readRange(part: string): Range {
  const [first = 0, last = first] = part.split("-").map(Number);
  return { first: Math.min(first, last), last: Math.max(first, last) };
}

/** The newest `limit` changes that an id names, below `before`, and the number before which to continue. */
export function changesNamedBy(
  id: string,
  { before = Number.MAX_SAFE_INTEGER, limit }: { before?: number | undefined; limit: number },
): { ids: number[]; next?: number | undefined } {
  const ranges = id.split(",").map(readRange);
  const ids: number[] = [];
  for (let next = before; ids.length <= limit; ) {
    const below = ranges.filter(({ first }) => first < next).map(({ last }) => Math.min(last, next - 1));
    if (below.length === 0) return { ids };
    next = Math.max(...below);
    ids.push(next);
  }
  return { ids: ids.slice(0, limit), next: ids[limit - 1] };
}

/** The ranges of all ids by where they begin, the longest of those that begin at one number; it ends beyond `most`. */
function rangesByFirst(ids: readonly string[], most: number): Map<number, number> {
  const lasts = new Map<number, number>();
  for (const id of new Set(ids)) {
    if (lasts.size > most) break;
    for (const { first, last } of id.split(",").map(readRange))
      lasts.set(first, Math.max(last, lasts.get(first) ?? last));
  }
  return lasts;
}

/** The changes that ids name together, each once and in their order; undefined if there are more than `most`. */
export function changesNamedTogether(ids: readonly string[], most: number): number[] | undefined {
  const numbers: number[] = [];
  for (const [first, last] of [...rangesByFirst(ids, most)].sort(([a], [b]) => a - b))
    for (let next = Math.max(first, (numbers.at(-1) ?? 0) + 1); next <= last; next++) {
      if (numbers.length === most) return undefined;
      numbers.push(next);
    }
  return numbers;
}
