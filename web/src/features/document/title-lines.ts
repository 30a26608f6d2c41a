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
