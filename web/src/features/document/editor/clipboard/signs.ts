import type { Element, ElementContent, Root } from "hast";
import {
  classesOf,
  element,
  findElement,
  inlineStyle,
  isElement,
  property,
  replaceElements,
  textOf,
} from "./tree.ts";

// What other programs show that Markdown writes with signs of its own: raised digits, formulas, callouts and links of Obsidian.

const DIGITS = "0123456789+-";
const SIGNS = { sub: "₀₁₂₃₄₅₆₇₈₉₊₋", sup: "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻" };

/** A number below or above the line, such as the 2 in m². */
function numberSign(node: Element): ElementContent[] {
  const align = inlineStyle(node).get("vertical-align");
  const isBelow = isElement(node, "sub") || align === "sub";
  if (!isBelow && !isElement(node, "sup") && align !== "super") return [node];
  const text = textOf(node).trim().replace("−", "-");
  const isCitation = findElement(node, (one) => isElement(one, "a") && !property(one, "href").includes("#"));
  if (isCitation || !/^[+-]?\d{1,9}[+-]?$/.test(text)) return [node];
  const signs = isBelow ? SIGNS.sub : SIGNS.sup;
  return [{ type: "text", value: text.replace(/./g, (one) => signs.charAt(DIGITS.indexOf(one))) }];
}

/** Markdown that is not escaped. */
const source = (value: string) => element("markdown-source", [{ type: "text", value }]);

/** The TeX of a formula that KaTeX or MathML shows. */
function formula(node: Element): ElementContent[] {
  const tex = findElement(node, (one) => property(one, "encoding") === "application/x-tex");
  return tex ? [source(`$${textOf(tex).trim().replace(/\s+/g, " ")}$`)] : [node];
}

function noteLink(node: Element): ElementContent[] {
  const [target, words] = [property(node, "dataHref"), textOf(node).trim()];
  if (target === "") return [node];
  return /[[\]|\n]/.test(target + words)
    ? node.children
    : [source(target === words ? `[[${target}]]` : `[[${target}|${words}]]`)];
}

/** The kind of a callout of Obsidian, or of an alert on GitHub. */
const calloutKind = (node: Element): string => {
  const alert = /\bmarkdown-alert-(\w+)/.exec(classesOf(node).join(" "))?.[1];
  return /^[\w-]+$/.exec(property(node, "dataCallout"))?.[0] ?? alert ?? "";
};

const hasText = ({ children }: Element) =>
  children.some((one) => one.type === "text" && one.value.trim() !== "");

function callout(node: Element, kind: string): ElementContent[] {
  const [head, ...rest] = node.children.filter((one) => isElement(one));
  // Another program's, with words in other places.
  if (hasText(node) || rest.some((one) => isElement(one, "div") && hasText(one))) return [node];
  const title = head ? textOf(head).trim().replace(/\s+/g, " ") : "";
  const mark = source(title.toLowerCase() === kind ? `[!${kind}]` : `[!${kind}] ${title}`);
  const body = rest.flatMap((one) => (isElement(one, "div") ? one.children : [one]));
  const [first, ...others] = body.filter((one) => isElement(one));
  return isElement(first, "p")
    ? [element("blockquote", [element("p", [mark, element("br", []), ...first.children]), ...others])]
    : [element("blockquote", [element("p", [mark]), ...body])];
}

export function convertSigns(root: Root): void {
  replaceElements(root, (node) => {
    if (isElement(node, "math") || classesOf(node).includes("katex")) return formula(node);
    if (classesOf(node).includes("internal-link")) return noteLink(node);
    const kind = isElement(node, "div") ? calloutKind(node) : "";
    return kind ? callout(node, kind) : numberSign(node);
  });
}
