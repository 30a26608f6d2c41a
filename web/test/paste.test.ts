import { expect, test } from "vitest";
import { codeBlock, languageFromEditor } from "../src/features/document/editor/clipboard/code.ts";
import { joinWrappedLines, withPlainLetters } from "../src/features/document/editor/clipboard/plain.ts";
import { htmlToMarkdown } from "../src/features/document/editor/from-html.ts";
import { CLIPBOARDS, type Clipboard } from "./kit/clipboards.ts";

// What is pasted from other programs becomes the Markdown that a careful person would type.

/** In the same order as the editor: test/e2e/web-editor.test.ts pastes all of them into it. */
function pasted({ html, plain, editor }: Omit<Clipboard, "program" | "markdown">): unknown {
  const language = editor === undefined ? undefined : languageFromEditor(editor);
  if (language !== undefined) return codeBlock(plain, language);
  if (!html) return joinWrappedLines(plain) ?? withPlainLetters(plain);
  const converted = htmlToMarkdown(html, { plain });
  return typeof converted === "object" ? converted.text : converted;
}

test.for(CLIPBOARDS)("from $program", ({ markdown, ...clipboard }) => {
  expect(pasted(clipboard)).toBe(markdown);
});
