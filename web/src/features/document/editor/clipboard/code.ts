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

// Code from other editors and pages, as code blocks.

/** The language of a code block, as GitHub and Sphinx say it outside, and others at the block or its code. */
const HIGHLIGHTED =
  /(?<!\S)highlight-(?:source-|(?!source-)(?=\S+ notranslate))(?!(?:default|none|text)(?!\S))([\w+#-]+)(?!\S)/;
const LANGUAGE = /\b(?:language-|lang-|brush: ?)([\w+#-]+)/;

const languageOf = (node: Element): string | undefined =>
  LANGUAGE.exec(classesOf(node).join(" "))?.[1] ?? (property(node, "dataLanguage") || undefined);

const codeOf = (children: ElementContent[], language: string | undefined): Element =>
  element("code", children, language ? { className: [`language-${language}`] } : {});

/** A code block without what a page shows around its code, which then is somewhere within other elements. */
function onlyCode(pre: Element): Element {
  const code = findElement(pre, (one) => isElement(one, "code"));
  const isBeside = pre.children.includes(code as Element);
  const isAround = pre.children.every(
    (one) => one === code || isSpace(one) || (!isBeside && one.type !== "text"),
  );
  const isOne = !findElement(pre, (one) => isElement(one, "code") && one !== code);
  if (!code || !isAround || !isOne) return pre;
  return { ...pre, children: [codeOf(code.children, languageOf(code) ?? languageOf(pre))] };
}

/** A block of nothing but code and above it the name of its language, without that name. */
function withoutName(block: Element): Element {
  const [name, around, ...others] = block.children.filter((one) => !isSpace(one) && !isBlank(one));
  if (!isElement(name, "div", "span") || !isElement(around) || others.length > 0) return block;
  const inside = { ...block, children: [around] };
  const pre = findElement(inside, (one) => isElement(one, "pre"));
  const code = pre && findElement(pre, (one) => isElement(one, "code"));
  const isOnly = code && textOf(code).trim() === textOf(around).trim();
  return isOnly && textOf(name).trim().toLowerCase() === languageOf(code) ? inside : block;
}

const textWithBreaks = (node: ElementContent): string => {
  if (!isElement(node)) return textOf(node);
  return node.tagName === "br" ? "\n" : node.children.map(textWithBreaks).join("");
};

/** A code block of Evernote, which has an element for each line. */
function enCode(block: Element): ElementContent[] {
  const all = block.children.filter((one) => !isSpace(one));
  const lines = all.every((one) => isElement(one, "div")) ? all : [block];
  // The last break of an element is not shown.
  const value = lines.map((line) => textWithBreaks(line).replace(/\n$/, "")).join("\n");
  return [element("pre", [codeOf([{ type: "text", value }], undefined)])];
}

/** Code as Markdown is made of it: without what pages show around it, and with the language that GitHub says outside. */
export function convertCode(root: Root): void {
  replaceElements(root, (node) => {
    if (isElement(node, "pre")) return [onlyCode(node)];
    // Teams
    if (isElement(node, "codeblock")) return [onlyCode({ ...node, tagName: "pre" })];
    if (inlineStyle(node).get("--en-codeblock") === "true") return enCode(node);
    const language = HIGHLIGHTED.exec(classesOf(node).join(" "))?.[1];
    const pre = language && findElement(node, (one) => isElement(one, "pre"));
    if (pre) return [{ ...pre, children: [codeOf(pre.children, language)] }];
    return [isElement(node, "div") ? withoutName(node) : node];
  });
}

/** The modes of VS Code for text that is no code. */
const TEXT_MODES = /^(?:markdown|plaintext|mdx|quarto|)$/;

/** The names by which code blocks call some modes of VS Code. */
const LANGUAGES: Record<string, string> = {
  typescriptreact: "tsx",
  javascriptreact: "jsx",
  shellscript: "sh",
  csharp: "cs",
  dockercompose: "yaml",
  jsonc: "json",
};

/** The language of what VS Code put on the clipboard (`vscode-editor-data`); undefined if it is no code. */
export function languageFromEditor(data: string): string | undefined {
  const mode = /"mode"\s*:\s*"([\w+#.-]{0,40})"/.exec(data)?.[1];
  if (mode === undefined) return "";
  return TEXT_MODES.test(mode) ? undefined : (LANGUAGES[mode] ?? mode);
}

/** Lines without the indentation that all of them have. */
function withoutIndentation(lines: string[]): string[] {
  const indented = lines.filter((line) => line.trim() !== "");
  const spaces = /^[ \t]*/.exec(indented[0] ?? "")?.[0] ?? "";
  let width = spaces.length;
  for (const line of indented) while (width > 0 && !line.startsWith(spaces.slice(0, width))) width -= 1;
  return lines.map((line) => line.slice(width));
}

/** A code block of several lines; undefined if there is only one, which may belong into a sentence. */
export function codeBlock(code: string, language: string): string | undefined {
  const lines = code
    .replace(/\r\n?/g, "\n")
    .replace(/^\n+|\s+$/g, "")
    .split("\n");
  if (lines.length < 2) return undefined;
  const runs = code.match(/`{3,}/g) ?? [];
  const fence = "`".repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  return [`${fence}${language}`, ...withoutIndentation(lines), fence].join("\n");
}
