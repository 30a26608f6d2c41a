export const MAX_TITLE = 500;

/**
 * What was typed, pasted or dropped into the field of a title: its first line is the title, without the sign of a
 * heading, and what does not fit belongs to the text.
 */
export function titleLines(typed: string): { title: string; rest: string } {
  const [first = "", ...others] = typed.replace(/^\s*\n/, "").split("\n");
  const isHeading = others.length > 0 && /^#{1,6}\s/.test(first);
  const line = isHeading ? first.replace(/^#+\s+/, "") : first;
  const rest = [line.slice(MAX_TITLE), others.join("\n").replace(/^\n+/, "")].filter(Boolean);
  return { title: line.slice(0, MAX_TITLE), rest: rest.join("\n") };
}

/** What was typed from the title on: what Enter led to is the text, undefined if it was not pressed. */
export function firstLine(keys: string): { title: string; rest: string | undefined } {
  const [line = "", ...lines] = keys.split("\n");
  const rest = line.length > MAX_TITLE ? [line.slice(MAX_TITLE), ...lines] : lines;
  return { title: line.slice(0, MAX_TITLE), rest: rest.length > 0 ? rest.join("\n") : undefined };
}
