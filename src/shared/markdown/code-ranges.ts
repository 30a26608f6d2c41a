import { blocksByLine, skipFrontMatter } from "./blocks.ts";
import { linesFrom, nextLine } from "./line.ts";

export type Range = { start: number; end: number };

/** Inline code: between runs of backticks of the same length. */
function* inlineCode(text: string, { start, end }: Range): Generator<Range> {
  const runs = [...text.slice(start, end).matchAll(/`+/g)];
  const next = new Map<number, number>();
  const partner = new Map<number, number>();
  for (const [place, { 0: run }] of [...runs.entries()].reverse()) {
    const later = next.get(run.length);
    if (later !== undefined) partner.set(place, later);
    next.set(run.length, place);
  }
  for (let place = 0; place < runs.length; place++) {
    const other = partner.get(place);
    if (other === undefined) continue;
    yield { start: start + (runs[place]?.index ?? 0), end: start + (runs[other]?.index ?? 0) };
    place = other;
  }
}

function codeRanges(text: string): Range[] {
  const code: Range[] = [];
  const line = linesFrom(text, skipFrontMatter(text));
  for (const { leaf } of blocksByLine(text)) {
    nextLine(line);
    if (leaf.kind === "fenced" || leaf.kind === "indented") code.push({ start: line.start, end: line.next });
    else for (const range of inlineCode(text, line)) code.push(range);
  }
  return code;
}

/** What was found in a text, in order, without what is in code or overlaps what is before it. */
export function outsideCode<Found extends Range>(text: string, all: Found[]): Found[] {
  if (all.length === 0) return [];
  const code = codeRanges(text);
  let [coveredUntil, at] = [0, 0];
  return all
    .sort((one, other) => one.start - other.start)
    .filter(({ start, end }) => {
      while ((code[at]?.end ?? Number.POSITIVE_INFINITY) <= start) at++;
      if ((code[at]?.start ?? Number.POSITIVE_INFINITY) < end || start < coveredUntil) return false;
      coveredUntil = end;
      return true;
    });
}
