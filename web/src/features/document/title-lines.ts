/** The longest title that the service accepts. */
export const MAX_TITLE = 500;

/** Splits the input: the first line, without a heading marker, is the title; the rest and anything too long goes to the text. */
export function splitTitle(typed: string): { title: string; rest: string } {
  const [first = "", ...others] = typed.replace(/^\s*\n/, "").split("\n");
  const isHeading = others.length > 0 && /^#{1,6}\s/.test(first);
  const line = isHeading ? first.replace(/^#+\s+/, "") : first;
  const rest = [line.slice(MAX_TITLE), others.join("\n").replace(/^\n+/, "")].filter(Boolean);
  return { title: line.slice(0, MAX_TITLE), rest: rest.join("\n") };
}

/** Splits keys typed into the title: the lines after Enter go to the text; undefined if Enter was not pressed. */
export function splitTypedTitle(keys: string): { title: string; rest: string | undefined } {
  const [line = "", ...lines] = keys.split("\n");
  const rest = line.length > MAX_TITLE ? [line.slice(MAX_TITLE), ...lines] : lines;
  return { title: line.slice(0, MAX_TITLE), rest: rest.length > 0 ? rest.join("\n") : undefined };
}
