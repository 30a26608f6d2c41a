import type { Steps } from "../../../contract/text/steps.ts";
import type { Meter } from "./meter.ts";

// A reader of XML for its text: elements by their local names, in linear time. Of entities it knows the five of XML itself
// and numbers: what a DOCTYPE defines is never expanded, so nothing grows.

export type Handler = {
  /** `attribute` reads one by its whole name, such as `r:id` */
  open?: (name: string, attribute: (name: string) => string | undefined) => void;
  close?: (name: string) => void;
  text?: (text: string) => void;
};

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

export const characterOf = (code: number): string =>
  code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000) ? String.fromCodePoint(code) : "";

const unescaped = (text: string): string =>
  text.includes("&")
    ? text.replace(/&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|(amp|lt|gt|quot|apos));/g, (_, decimal, hex, name) =>
        name ? (ENTITIES[name] ?? "") : characterOf(decimal ? Number(decimal) : Number.parseInt(hex, 16)),
      )
    : text;

const localName = (name: string) => name.slice(name.indexOf(":") + 1);

/** Where a declaration `<!…>` ends, behind the definitions in its brackets. */
function endOfDeclaration(text: string, from: number): number {
  const end = text.indexOf(">", from);
  const bracket = end < 0 ? -1 : text.slice(from, end).indexOf("[");
  if (bracket < 0) return end;
  const closed = text.indexOf("]", from + bracket);
  return closed < 0 ? -1 : text.indexOf(">", closed);
}

const attributeIn = (tag: string) => (name: string) => {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(tag);
  return found ? unescaped(found[1] ?? found[2] ?? "") : undefined;
};

/** Where what begins at `from` ends, and the mark that ends it. */
function endOf(text: string, from: number): [end: number, length: number] {
  if (text.startsWith("<!--", from)) return [text.indexOf("-->", from + 4), 3];
  if (text.startsWith("<?", from)) return [text.indexOf("?>", from + 2), 2];
  if (text.startsWith("<![CDATA[", from)) return [text.indexOf("]]>", from + 9), 3];
  if (text.startsWith("<!", from)) return [endOfDeclaration(text, from), 1];
  return [text.indexOf(">", from), 1];
}

function readTag(inside: string, { open, close }: Handler): void {
  if (inside.startsWith("!") || inside.startsWith("?")) return;
  if (inside.startsWith("/")) {
    close?.(localName(inside.slice(1).trim()));
    return;
  }
  const name = localName(/^[^\s/]*/.exec(inside)?.[0] ?? "");
  open?.(name, attributeIn(inside));
  if (inside.endsWith("/")) close?.(name);
}

/** Reads a text from its beginning until it ends or something in it does not. */
export function* readXml(meter: Meter, text: string, handler: Handler): Steps<void> {
  for (let at = 0; at < text.length; ) {
    const tag = text.indexOf("<", at);
    if (tag < 0) break;
    if (tag > at) handler.text?.(unescaped(text.slice(at, tag)));
    const [end, length] = endOf(text, tag);
    if (end < 0) break;
    if (text.startsWith("<![CDATA[", tag)) handler.text?.(text.slice(tag + 9, end));
    else readTag(text.slice(tag + 1, end), handler);
    yield* meter.paid(end + length - at);
    at = end + length;
  }
}
