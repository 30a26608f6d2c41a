import remarkBreaks from "remark-breaks";
import remarkGfm from "remark-gfm";
import type { PluggableList } from "unified";
import { lineBreakTags } from "./line-break-tags.ts";
import { remarkCallouts } from "./obsidian/callouts.ts";
import { remarkComments } from "./obsidian/comments.ts";
import { remarkInlineSyntax } from "./obsidian/inline-syntax.ts";

/** The syntax beyond CommonMark: GFM, and Obsidian's links, marks, comments and callouts; `<br>`. */
export const SYNTAX_PLUGINS: PluggableList = [
  remarkGfm,
  remarkInlineSyntax,
  remarkComments,
  remarkCallouts,
  lineBreakTags,
];

/** What rendered Markdown is read with besides. A line break is shown as one, as in comments on GitHub. */
export const RENDERING_PLUGINS: PluggableList = [remarkBreaks];
