import type { Element, ElementContent, Root } from "hast";
import {
  classesOf,
  element,
  findElement,
  inlineStyle,
  isBlank,
  isElement,
  isSpace,
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

/** The TeX of a formula that KaTeX or MathML shows, between signs. */
function texOf(node: Element): Element | undefined {
  const tex = findElement(node, (one) => property(one, "encoding") === "application/x-tex");
  const words = tex && textOf(tex).trim().replace(/\s+/g, " ");
  // Wikipedia
  return words ? source(`$${/^\{\\displaystyle (.*)\}$/.exec(words)?.[1] ?? words}$`) : undefined;
}

function formula(node: Element): ElementContent[] | undefined {
  const classes = classesOf(node);
  if (isElement(node, "math") || classes.includes("katex")) return [texOf(node) ?? node];
  const isBlock = classes.includes("katex-display");
  // It may be hidden beside its picture.
  if (!isBlock && !classes.includes("mwe-math-element")) return undefined;
  const found = findElement(node, (one) => isElement(one, "markdown-source"));
  return found && [isBlock ? source(`$${textOf(found)}$`) : found];
}

function noteLink(node: Element): ElementContent[] | undefined {
  if (!classesOf(node).includes("internal-link")) return undefined;
  const [target, words] = [property(node, "dataHref"), textOf(node).trim()];
  if (target === "") return [node];
  return /[[\]|\n]/.test(target + words)
    ? node.children
    : [source(target === words ? `[[${target}]]` : `[[${target}|${words}]]`)];
}

const hasText = ({ children }: Element) =>
  children.some((one) => one.type === "text" && one.value.trim() !== "");

/** A callout of a kind, whose first element is its title. */
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

/** A callout of Obsidian, an alert on GitHub, one in documentation, or a panel of Confluence. */
function titledBox(node: Element): ElementContent[] | undefined {
  if (!isElement(node, "div")) return undefined;
  const alert = /\b(?:markdown-alert-|admonition )(\w+)/.exec(classesOf(node).join(" "))?.[1];
  const kind = /^[\w-]+$/.exec(property(node, "dataCallout"))?.[0] ?? alert;
  if (kind) return callout(node, kind);
  const panel = /^\w+$/.exec(property(node, "dataPanelType"))?.[0];
  if (!panel) return undefined;
  const title = element("p", [{ type: "text", value: panel }]);
  return callout({ ...node, children: [title, ...node.children] }, panel);
}

const SIGNED = /^\s*(?:\p{Emoji_Presentation}|\p{Emoji}\uFE0F)/u;

/** A callout of Notion, as it is imported: a quotation that begins with its sign. */
function signedBox(node: Element): ElementContent[] | undefined {
  if (isElement(node, "aside") && SIGNED.test(textOf(node))) return [element("blockquote", node.children)];
  if (!isElement(node, "figure") || !classesOf(node).includes("callout")) return undefined;
  const all = node.children.filter((one) => !isSpace(one) && !isBlank(one));
  const [sign, ...words] = all.filter((one) => isElement(one, "div"));
  // Another program's, with words in other places.
  if (!sign || words.length === 0 || words.length < all.length - 1) return undefined;
  const begin: ElementContent = { type: "text", value: `${textOf(sign).trim()} ` };
  return [element("blockquote", [begin, ...words.flatMap(({ children }) => children)])];
}

export function convertSigns(root: Root): void {
  replaceElements(
    root,
    (node) => formula(node) ?? noteLink(node) ?? titledBox(node) ?? signedBox(node) ?? numberSign(node),
  );
}
