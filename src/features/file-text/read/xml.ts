import type { Steps } from "../../../shared/text/steps.ts";
import type { Meter } from "./meter.ts";

// Reads the text of XML in linear time, with local element names. Only the five predefined entities and numeric ones are
// expanded, never those of a DOCTYPE, which could grow without bounds.

export type XmlHandler = {
  /** `attribute` returns an attribute by its qualified name, such as `r:id` */
  open?: (name: string, attribute: (name: string) => string | undefined) => void;
  close?: (name: string) => void;
  text?: (text: string) => void;
};

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

export const characterOfCode = (code: number): string =>
  code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000) ? String.fromCodePoint(code) : "";

const unescapeXml = (text: string): string =>
  text.includes("&")
    ? text.replace(/&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|(amp|lt|gt|quot|apos));/g, (_, decimal, hex, name) =>
        name ? (ENTITIES[name] ?? "") : characterOfCode(decimal ? Number(decimal) : Number.parseInt(hex, 16)),
      )
    : text;

const localName = (name: string) => name.slice(name.indexOf(":") + 1);

/** The end of a declaration `<!…>`, after the definitions in its brackets. */
function endOfDeclaration(text: string, from: number): number {
  const end = text.indexOf(">", from);
  const bracket = end < 0 ? -1 : text.slice(from, end).indexOf("[");
  if (bracket < 0) return end;
  const closed = text.indexOf("]", from + bracket);
  return closed < 0 ? -1 : text.indexOf(">", closed);
}

const attributeReader = (tag: string) => (name: string) => {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(tag);
  return found ? unescapeXml(found[1] ?? found[2] ?? "") : undefined;
};

/** The end of the markup that begins at `from`, and the length of the mark that ends it. */
function endOfMarkup(text: string, from: number): [end: number, length: number] {
  if (text.startsWith("<!--", from)) return [text.indexOf("-->", from + 4), 3];
  if (text.startsWith("<?", from)) return [text.indexOf("?>", from + 2), 2];
  if (text.startsWith("<![CDATA[", from)) return [text.indexOf("]]>", from + 9), 3];
  if (text.startsWith("<!", from)) return [endOfDeclaration(text, from), 1];
  return [text.indexOf(">", from), 1];
}

function readTag(inside: string, { open, close }: XmlHandler): void {
  if (inside.startsWith("!") || inside.startsWith("?")) return;
  if (inside.startsWith("/")) {
    close?.(localName(inside.slice(1).trim()));
    return;
  }
  const name = localName(/^[^\s/]*/.exec(inside)?.[0] ?? "");
  open?.(name, attributeReader(inside));
  if (inside.endsWith("/")) close?.(name);
}

/** Reads a text until its end or until unclosed markup. */
export function* readXml(meter: Meter, text: string, handler: XmlHandler): Steps<void> {
  for (let at = 0; at < text.length; ) {
    const tag = text.indexOf("<", at);
    if (tag < 0) break;
    if (tag > at) handler.text?.(unescapeXml(text.slice(at, tag)));
    const [end, length] = endOfMarkup(text, tag);
    if (end < 0) break;
    if (text.startsWith("<![CDATA[", tag)) handler.text?.(text.slice(tag + 9, end));
    else readTag(text.slice(tag + 1, end), handler);
    yield* meter.spendAndPause(end + length - at);
    at = end + length;
  }
}
