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

// Code from other editors and pages, as code blocks.

/** The language of a code block, as GitHub and Sphinx say it outside, and others at the block or its code. */
const HIGHLIGHTED = /^highlight-(?:source-)?(?!default|none|text)([\w+#-]+)$/;
const LANGUAGE = /\b(?:language-|lang-|brush: ?)([\w+#-]+)/;

const languageOf = (node: Element): string | undefined =>
  LANGUAGE.exec(classesOf(node).join(" "))?.[1] ?? (property(node, "dataLanguage") || undefined);

const codeOf = (children: ElementContent[], language: string | undefined): Element =>
  element("code", children, language ? { className: [`language-${language}`] } : {});

/** A code block without what a page shows around its code, which then is somewhere within other elements. */
function onlyCode(pre: Element): Element {
  const code = findElement(pre, (one) => isElement(one, "code"));
  const isBlank = (one: ElementContent) => one.type === "text" && one.value.trim() === "";
  const isBeside = pre.children.includes(code as Element);
  const isAround = pre.children.every(
    (one) => one === code || isBlank(one) || (!isBeside && one.type !== "text"),
  );
  const isOne = !findElement(pre, (one) => isElement(one, "code") && one !== code);
  if (!code || !isAround || !isOne) return pre;
  return { ...pre, children: [codeOf(code.children, languageOf(code) ?? languageOf(pre))] };
}

/** A block without the name of its language, which pages show above the code. */
function withoutName(block: Element): Element {
  const code = findElement(block, (one) => isElement(one, "code") && languageOf(one) !== undefined);
  const isName = (node: ElementContent) =>
    isElement(node, "div", "span") && textOf(node).trim().toLowerCase() === (code && languageOf(code));
  return code ? { ...block, children: block.children.filter((node) => !isName(node)) } : block;
}

/** The lines of a block of Evernote. */
const enCode = ({ children }: Element): ElementContent[] => [
  element("pre", [codeOf([{ type: "text", value: children.map(textOf).join("\n") }], undefined)]),
];

/** Code as Markdown is made of it: without what pages show around it, and with the language that GitHub says outside. */
export function convertCode(root: Root): void {
  replaceElements(root, (node) => {
    if (isElement(node, "pre")) return [onlyCode(node)];
    // Teams
    if (isElement(node, "codeblock")) return [onlyCode({ ...node, tagName: "pre" })];
    if (inlineStyle(node).get("--en-codeblock") === "true") return enCode(node);
    const language = classesOf(node)
      .map((name) => HIGHLIGHTED.exec(name)?.[1])
      .find(Boolean);
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
