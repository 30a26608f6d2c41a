import type { Element as HtmlElement, Root as HtmlRoot } from "hast";
import { type Handle as FromHtml, toMdast } from "hast-util-to-mdast";
import type { Link, List, Mark, Parents, PhrasingContent, Root, RootContent, Text } from "mdast";
import { gfmToMarkdown } from "mdast-util-gfm";
import { defaultHandlers, type Handle, toMarkdown } from "mdast-util-to-markdown";
import { tidyMarks } from "./inline.ts";
import { textOf } from "./tree.ts";

// Writes cleaned HTML as the Markdown that a person would type.

/** By this name `hast-util-to-mdast` knows what may stand in a paragraph. */
const INLINE = { hName: "mark" } as const;

const children: FromHtml = (state, node) => state.all(node) as PhrasingContent[];

const labelOf = (node: HtmlElement) => String(node.properties.label);

const FROM_HTML: Record<string, FromHtml> = {
  // Markdown has none.
  u: children,
  mark: (state, node) => ({ type: "mark", data: INLINE, children: state.all(node) as PhrasingContent[] }),
  "markdown-source": (_, node) => ({ type: "html", data: INLINE, value: textOf(node) }),
  "footnote-reference": (_, node) => ({
    type: "footnoteReference",
    identifier: labelOf(node),
    label: labelOf(node),
  }),
  "footnote-definition": (state, node) => ({
    type: "footnoteDefinition",
    identifier: labelOf(node),
    label: labelOf(node),
    children: state.toFlow(state.all(node)) as never,
  }),
};

const isItemAt = ({ children }: Parents, node: RootContent) => children[0] === node;

/** Escapes that are not needed: what they prevent cannot begin there. */
function withoutNeedlessEscapes(value: string, isAtStart: boolean): string {
  const plain = value
    .replace(/(?<=[\p{L}\p{N}])\\_(?=[\p{L}\p{N}])/gu, "_")
    .replace(/(?<=\s)\\([*_])(?=\s)/g, "$1")
    .replace(/\\<(?=[\w.+-]{1,64}@[\w.-]{1,255}>)/g, "<")
    .replace(/\\&(?!#?\w{1,40};)/g, "&")
    .replace(/\\([:@])/g, "$1")
    .replace(/(?<=\b[Ww]{3})\\\./g, ".")
    .replace(/^([^~]*)\\~([^~]*)$/, "$1~$2");
  return isAtStart ? plain : plain.replace(/\\\[([^[\]\n^\\][^[\]\n\\]*)\](?![([:])/g, "[$1]");
}

/** The line above a signature, which is no heading's and no rule where a paragraph begins with it. */
const withPlainSignatureLine = (written: string) => written.replace(/^\\--(?=\n|$)/, "--");

/** A list that someone typed, as in a mail. */
const withTypedItem = (written: string) => written.replace(/^(?:\\-|[•▪])\s+(?=\S)/, "- ");

const writeText: Handle = (node: Text, parent: Parents | undefined, state, info) => {
  const isAtStart = parent === undefined || isItemAt(parent, node);
  const written = withoutNeedlessEscapes(state.safe(node.value, info), isAtStart);
  if (parent?.type !== "paragraph" || info.before !== "\n" || state.stack.includes("listItem"))
    return written;
  return isAtStart ? withPlainSignatureLine(withTypedItem(written)) : withTypedItem(written);
};

/** An address that stands by itself, between spaces or punctuation. */
const BARE = /^https?:\/\/[\w\-./?=&%#+:@]*[\w/]$/;

const isAddress = ({ url, children: [only, ...others] }: Link) =>
  only?.type === "text" && others.length === 0 && only.value === url && BARE.test(url);

/** The `&` of an address begins no character reference. */
const withPlainAddress = (written: string) => written.replace(/(?<!\\)\\&(?!#?\w{1,40};)/g, "&");

const writeImage: Handle = (node, parent, state, info) =>
  withPlainAddress(defaultHandlers.image(node, parent, state, info));

/** Bare where it will be recognized: between spaces, or before punctuation. */
const linkHandle: Handle = (node: Link, parent, state, info) =>
  isAddress(node) && /(?:^|[\s(*_~])$/.test(info.before) && /^(?:$|[\s.,;!?)*_~])/.test(info.after)
    ? node.url
    : withPlainAddress(defaultHandlers.link(node, parent, state, info));
const writeLink = Object.assign(linkHandle, { peek: (node: Link) => (isAddress(node) ? "h" : "[") });

const writeBreak: Handle = (_node, _parent, { stack }) => {
  if (stack.includes("tableCell")) return "<br>";
  return stack.includes("headingAtx") ? " " : "\n";
};

const writeMark: Handle = (node: Mark, _parent, state, info) =>
  `==${state.containerPhrasing(node, { ...info, before: "=", after: "=" })}==`;

/** In a table, a bar must not end its cell. TeX has a sign that is a bar with a backslash. */
const IN_CELL: Record<string, string> = { "|": "\\|", "\\|": "\\Vert " };

const writeSource: Handle = ({ value }: { value: string }, _parent, { stack }) =>
  stack.includes("tableCell") ? value.replace(/\\.|\|/g, (sign) => IN_CELL[sign] ?? sign) : value;

const OPTIONS = gfmToMarkdown({ firstLineBlank: false });

/** Lists are tight unless an item has several paragraphs. */
function tighten(parent: Parents): void {
  for (const node of parent.children as RootContent[]) {
    if ("children" in node) tighten(node);
    if (node.type === "list") tightenList(node);
    if (node.type === "link") node.title = null;
    if (node.type === "code") node.lang = node.lang?.toLowerCase() ?? null;
  }
}

function tightenList(list: List): void {
  const isLoose = list.children.some(
    (item) => item.children.filter(({ type }) => type === "paragraph").length > 1,
  );
  list.spread = isLoose;
  for (const item of list.children) item.spread = isLoose;
}

export type ConvertedHtml = {
  text: string;
  /** Whether it needs lines of its own: it is more than one paragraph, or something else, such as a list. */
  isBlock: boolean;
};

export function writeMarkdown(root: HtmlRoot): ConvertedHtml | undefined {
  const tree = toMdast(root, { handlers: FROM_HTML }) as Root;
  if (tree.type !== "root") return undefined;
  tidyMarks(tree);
  tighten(tree);
  const text = toMarkdown(tree, {
    bullet: "-",
    rule: "-",
    listItemIndent: "one",
    resourceLink: false,
    handlers: {
      text: writeText,
      break: writeBreak,
      link: writeLink,
      image: Object.assign(writeImage, { peek: () => "!" }),
      mark: writeMark,
      html: writeSource,
    } as never,
    extensions: [OPTIONS],
  }).trim();
  const [first, ...others] = tree.children;
  return text ? { text, isBlock: others.length > 0 || first?.type !== "paragraph" } : undefined;
}
