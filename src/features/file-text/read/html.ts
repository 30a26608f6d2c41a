import { decodeNamedCharacterReference } from "decode-named-character-reference";
import type { Steps } from "../../../shared/text/steps.ts";
import type { Meter } from "./meter.ts";
import { characterOfCode } from "./xml.ts";

/** Elements whose text is not displayed. */
const SKIPPED = new Set(["script", "style", "template", "noscript", "svg", "object", "iframe"]);
const INLINE_NAMES =
  "a abbr b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp small span strike strong sub sup time tt u var wbr";
const INLINE = new Set(INLINE_NAMES.split(" "));

const unescapeHtml = (text: string): string =>
  text.includes("&")
    ? text.replace(
        /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z][a-zA-Z\d]{1,31}));?/g,
        (all, decimal, hex, name) =>
          name
            ? decodeNamedCharacterReference(name) || all
            : characterOfCode(decimal ? Number(decimal) : Number.parseInt(hex, 16)),
      )
    : text;

/** The text of HTML, one line per block, in linear time. Not exactly what a browser displays, but all readable text. */
export function* htmlText(meter: Meter, html: string): Steps<string> {
  const pieces: string[] = [];
  let length = 0;
  const put = (text: string) => {
    pieces.push(text);
    length += text.length;
  };
  const lower = html.toLowerCase();
  for (let at = 0; at < html.length && !meter.isTooLong(length); ) {
    const tag = html.indexOf("<", at);
    const until = tag < 0 ? html.length : tag;
    put(unescapeHtml(html.slice(at, until)).replace(/[\s\u00a0]+/g, " "));
    if (tag < 0) break;
    const next = html.startsWith("<!--", tag)
      ? positionAfter(html, "-->", tag + 4)
      : readTag(html, tag, put, lower);
    yield* meter.spendAndPause(next - at);
    at = next;
  }
  return pieces.join("");
}

/** The position after a mark, or the end of the text without one. */
function positionAfter(text: string, mark: string, from: number): number {
  const end = text.indexOf(mark, from);
  return end < 0 ? text.length : end + mark.length;
}

function readTag(html: string, tag: number, put: (text: string) => void, lower: string): number {
  const name = /[a-zA-Z][^\s/>]{0,40}|$/y;
  name.lastIndex = tag + (html[tag + 1] === "/" ? 2 : 1);
  const [found = ""] = name.exec(html) ?? [];
  if (found === "" && html[tag + 1] !== "!" && html[tag + 1] !== "?" && html[tag + 1] !== "/") {
    put("<");
    return tag + 1;
  }
  const element = found.toLowerCase();
  if (!INLINE.has(element)) put("\n");
  const end = positionAfter(html, ">", tag);
  if (!SKIPPED.has(element) || html[tag + 1] === "/" || html[end - 2] === "/") return end;
  const closed = lower.indexOf(`</${element}`, end);
  return closed < 0 ? html.length : closed;
}
