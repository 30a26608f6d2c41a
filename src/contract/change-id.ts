// A change id lists the activity numbers of the changes of one write, so that it can be undone: `57` or `57-59,61`.

/** Maximum of numbers and ranges in one id. A write that needs more gets no id. */
const MAX_PARTS = 100;

/** Maximum of changes that a request for an undo names. */
export const MAX_NAMED_CHANGES = 1000;

type Range = { first: number; last: number };

const NUMBER = String.raw`[1-9]\d{0,14}`;
const PART = `${NUMBER}(-${NUMBER})?`;

export const CHANGE_ID_PATTERN = new RegExp(`^${PART}(,${PART}){0,${MAX_PARTS - 1}}$`);

function toRanges(numbers: readonly number[]): Range[] {
  const ranges: Range[] = [];
  for (const number of [...new Set(numbers)].sort((a, b) => a - b)) {
    const range = ranges.at(-1);
    if (range && range.last === number - 1) range.last = number;
    else ranges.push({ first: number, last: number });
  }
  return ranges;
}

const formatRange = ({ first, last }: Range) => (first === last ? String(first) : `${first}-${last}`);

/** The id of these changes; undefined if there are none, or if they need too many ranges. */
export function formatChangeId(numbers: readonly number[]): string | undefined {
  const ranges = toRanges(numbers);
  return ranges.length > 0 && ranges.length <= MAX_PARTS ? ranges.map(formatRange).join(",") : undefined;
}

function parseRange(part: string): Range {
  const [first = 0, last = first] = part.split("-").map(Number);
  return { first: Math.min(first, last), last: Math.max(first, last) };
}

/** The newest `limit` changes of an id below `before`, and the `before` of the next page. */
export function newestChangesIn(
  id: string,
  { before = Number.MAX_SAFE_INTEGER, limit }: { before?: number | undefined; limit: number },
): { ids: number[]; next?: number | undefined } {
  const ranges = id.split(",").map(parseRange);
  const ids: number[] = [];
  for (let next = before; ids.length <= limit; ) {
    const below = ranges.filter(({ first }) => first < next).map(({ last }) => Math.min(last, next - 1));
    if (below.length === 0) return { ids };
    next = Math.max(...below);
    ids.push(next);
  }
  return { ids: ids.slice(0, limit), next: ids[limit - 1] };
}

/** The longest range that starts at each number, as a map from first to last. Stops once there are more than `max`. */
function rangesByFirst(ids: readonly string[], max: number): Map<number, number> {
  const lasts = new Map<number, number>();
  for (const id of new Set(ids)) {
    if (lasts.size > max) break;
    for (const { first, last } of id.split(",").map(parseRange))
      lasts.set(first, Math.max(last, lasts.get(first) ?? last));
  }
  return lasts;
}

/** The change numbers of all ids, ascending and without duplicates; undefined if there are more than `max`. */
export function changeNumbersIn(ids: readonly string[], max: number): number[] | undefined {
  const numbers: number[] = [];
  for (const [first, last] of [...rangesByFirst(ids, max)].sort(([a], [b]) => a - b))
    for (let next = Math.max(first, (numbers.at(-1) ?? 0) + 1); next <= last; next++) {
      if (numbers.length === max) return undefined;
      numbers.push(next);
    }
  return numbers;
}
