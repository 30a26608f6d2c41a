// A rendered text for other programs: only what they know, without what this page needs for itself.

/** What is kept of what an element says about itself. */
const KEPT: Readonly<Record<string, readonly string[]>> = {
  ...{
    H1: [],
    H2: [],
    H3: [],
    H4: [],
    H5: [],
    H6: [],
    P: [],
    BR: [],
    HR: [],
    BLOCKQUOTE: [],
    PRE: [],
    CODE: [],
  },
  ...{ UL: [], OL: ["start"], LI: [], EM: [], STRONG: [], DEL: [], SUP: [] },
  ...{ TABLE: [], THEAD: [], TBODY: [], TR: [], TH: [], TD: [] },
  ...{ A: [], IMG: ["alt"] },
};

const isHidden = (element: Element) =>
  element.matches(".sr-only, .visually-hidden, [aria-hidden=true], svg, [data-apart]");

/** Addresses lead here from elsewhere, too; those within the text lead nowhere there. */
function addressOf(element: Element): [name: string, value: string] | undefined {
  if (element instanceof HTMLImageElement) return ["src", element.src];
  if (!(element instanceof HTMLAnchorElement) || element.getAttribute("href")?.startsWith("#"))
    return undefined;
  return ["href", element.href];
}

function copyOf(element: Element): Element {
  const copy = document.createElement(element.tagName);
  for (const name of KEPT[element.tagName] ?? []) {
    const value = element.getAttribute(name);
    if (value !== null) copy.setAttribute(name, value);
  }
  const address = addressOf(element);
  if (address) copy.setAttribute(...address);
  const { textAlign } = (element as HTMLElement).style;
  if (textAlign) copy.setAttribute("align", textAlign);
  return copy;
}

/** What stands for an element: its copy, or else what it is in. */
function placeFor(element: Element, target: Element): Element {
  const isKept = element.tagName in KEPT && (element.tagName !== "A" || addressOf(element) !== undefined);
  return isKept ? target.appendChild(copyOf(element)) : target;
}

function copyInto(target: Element, node: Node): void {
  if (node instanceof Text) target.append(node.data);
  else if (node instanceof HTMLInputElement) target.append(node.checked ? "☑" : "☐");
  else if (node instanceof Element && !isHidden(node)) {
    const place = placeFor(node, target);
    for (const child of node.childNodes) copyInto(place, child);
  }
}

/** The words of what is rendered, without what stands apart from the text. */
export function wordsIn(rendered: HTMLElement): string {
  rendered.dataset.bare = "";
  const words = rendered.innerText;
  delete rendered.dataset.bare;
  return words;
}

/** The HTML of what is rendered under a title. */
export function htmlOf(title: string, rendered: Element): string {
  const whole = document.createElement("div");
  const heading = document.createElement("h1");
  heading.append(title);
  whole.append(heading);
  copyInto(whole, rendered);
  return whole.innerHTML;
}
