// Converts a rendered text for other programs: only common elements, without what is specific to this page.

const COPIED =
  "h1, h2, h3, h4, h5, h6, p, br, hr, blockquote, pre, code, ul, ol, li, em, strong, del, sup, table, thead, tbody, tr, th, td, a, img";
/** The attributes that are copied besides URLs and alignment. */
const COPIED_ATTRIBUTES: Readonly<Record<string, string>> = { OL: "start", IMG: "alt" };

const isHidden = (element: Element) =>
  element.matches(".sr-only, .visually-hidden, [aria-hidden=true], svg, [data-apart]");

/** URLs become absolute. Links within the text are dropped, because they lead nowhere in another program. */
function urlAttribute(element: Element): [name: string, value: string] | undefined {
  if (element instanceof HTMLImageElement) return ["src", element.src];
  if (!(element instanceof HTMLAnchorElement) || element.getAttribute("href")?.startsWith("#"))
    return undefined;
  return ["href", element.href];
}

function copyElement(element: Element): Element {
  const copy = document.createElement(element.tagName);
  const name = COPIED_ATTRIBUTES[element.tagName];
  const value = name === undefined ? null : element.getAttribute(name);
  if (name !== undefined && value !== null) copy.setAttribute(name, value);
  const url = urlAttribute(element);
  if (url) copy.setAttribute(...url);
  const { textAlign } = (element as HTMLElement).style;
  if (textAlign) copy.setAttribute("align", textAlign);
  return copy;
}

/** Where to copy an element's children: into its own copy, or into the parent's if the element is not copied. */
function targetFor(element: Element, target: Element): Element {
  const isCopied =
    element.matches(COPIED) && (element.tagName !== "A" || urlAttribute(element) !== undefined);
  return isCopied ? target.appendChild(copyElement(element)) : target;
}

function copyInto(target: Element, node: Node): void {
  if (node instanceof Text) target.append(node.data);
  else if (node instanceof HTMLInputElement) target.append(node.checked ? "☑" : "☐");
  else if (node instanceof Element && !isHidden(node)) {
    const inner = targetFor(node, target);
    for (const child of node.childNodes) copyInto(inner, child);
  }
}

/** The rendered text without elements that are not part of it (`data-apart`). */
export function visibleText(rendered: HTMLElement): string {
  rendered.dataset.bare = "";
  const words = rendered.innerText;
  delete rendered.dataset.bare;
  return words;
}

/** The HTML of a rendered text below its title. */
export function richTextHtml(title: string, rendered: Element): string {
  const whole = document.createElement("div");
  const heading = document.createElement("h1");
  heading.append(title);
  whole.append(heading);
  copyInto(whole, rendered);
  return whole.innerHTML;
}
