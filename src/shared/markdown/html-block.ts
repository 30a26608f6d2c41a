// CommonMark 0.31, section 4.6.

const RAW = "pre|script|style|textarea";
const BLOCKS = new Set(
  (
    "address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt " +
    "fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link " +
    "main menu menuitem nav noframes ol optgroup option p param search section summary table tbody td tfoot th thead " +
    "title tr track ul"
  ).split(" "),
);

/** What ends a block: a matching line, or a blank line for null. */
export type HtmlEnd = RegExp | null;

/** The opening of a block, its end, and its end within the rest of the first line if that differs. */
const OPENINGS: [opening: RegExp, end: RegExp, first?: RegExp][] = [
  [new RegExp(`^<(?:${RAW})(?=[ \\t>]|$)`, "i"), new RegExp(`</(?:${RAW})>`, "i")],
  [/^<!--/, /-->/, /^-*>|-->/],
  [/^<\?/, /\?>/, /^>|\?>/],
  [/^<![a-z]/i, />/],
  [/^<!\[CDATA\[/, /\]\]>/],
];

const ATTRIBUTE = /[ \t]+[a-z_:][\w.:-]*(?:[ \t]*=[ \t]*(?:"[^"]*"|'[^']*'|[^ \t"'=<>`]+))?/iy;

function isTag(line: string): boolean {
  const name = /^<[a-z][a-z\d-]*/i.exec(line)?.[0];
  if (!name) return /^<\/[a-z][a-z\d-]*[ \t]*>[ \t]*$/i.test(line);
  let end = name.length;
  ATTRIBUTE.lastIndex = end;
  while (ATTRIBUTE.test(line)) end = ATTRIBUTE.lastIndex;
  return /^[ \t]*\/?>[ \t]*$/.test(line.slice(end));
}

type HtmlStart = { end: HtmlEnd; isClosed: boolean };

/** Reads a line that starts with `<`. `anyTag`: whether any tag may start a block, which it cannot in a paragraph. */
export function readHtmlStart(line: string, anyTag: boolean): HtmlStart | undefined {
  for (const [opening, end, first = end] of OPENINGS) {
    const length = opening.exec(line)?.[0].length;
    if (length !== undefined) return { end, isClosed: first.test(line.slice(length)) };
  }
  const [, name = ""] = /^<\/?([a-z][a-z\d-]*)(?=[ \t>]|\/>|$)/i.exec(line) ?? [];
  const begins = BLOCKS.has(name.toLowerCase()) || (anyTag && isTag(line));
  return begins ? { end: null, isClosed: false } : undefined;
}
