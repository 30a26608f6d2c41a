import type { Extension } from "micromark-util-types";
import remarkBreaks from "remark-breaks";
import remarkGfm from "remark-gfm";
import type { PluggableList, Processor } from "unified";
import { lineBreakTags } from "./line-break-tags.ts";
import { remarkBlockIds } from "./obsidian/block-ids.ts";
import { remarkCallouts } from "./obsidian/callouts.ts";
import { remarkComments } from "./obsidian/comments.ts";
import { remarkInlineSyntax } from "./obsidian/inline-syntax.ts";

type Extensions = { micromarkExtensions?: Extension[] };

/** Leaves out `![^a]` as a sign and a footnote, for which each bracket would be compared with all that is before it. */
function withoutFootnotePictures(this: Processor): void {
  for (const { text } of (this.data() as Extensions).micromarkExtensions ?? []) delete text?.[93];
}

/** The syntax beyond CommonMark: GFM, and Obsidian's links, marks, comments, callouts and ids of blocks; `<br>`. */
export const SYNTAX_PLUGINS: PluggableList = [
  remarkGfm,
  withoutFootnotePictures,
  remarkInlineSyntax,
  remarkComments,
  remarkCallouts,
  remarkBlockIds,
  lineBreakTags,
];

/** What rendered Markdown is read with besides. A line break is shown as one, as in comments on GitHub. */
export const RENDERING_PLUGINS: PluggableList = [remarkBreaks];
