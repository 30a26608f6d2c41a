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

/** The beginning and end of a token are events. Hardly any paragraph has more of them. */
const MAX_EVENTS = 2000;

/** In a longer text, `![^a]` is not a sign and a footnote, because each bracket is compared with all that is before it. */
function limitFootnotePictures(this: Processor): void {
  for (const { text } of (this.data() as Extensions).micromarkExtensions ?? [])
    for (const construct of [text?.[93] ?? []].flat()) {
      const { tokenize } = construct;
      construct.tokenize = function (effects, ok, nok) {
        return this.events.length > MAX_EVENTS ? nok : tokenize.call(this, effects, ok, nok);
      };
    }
}

/** The syntax beyond CommonMark: GFM, and Obsidian's links, marks, comments, callouts and ids of blocks; `<br>`. */
export const SYNTAX_PLUGINS: PluggableList = [
  remarkGfm,
  limitFootnotePictures,
  remarkInlineSyntax,
  remarkComments,
  remarkCallouts,
  remarkBlockIds,
  lineBreakTags,
];

/** What rendered Markdown is read with besides. A line break is shown as one, as in comments on GitHub. */
export const RENDERING_PLUGINS: PluggableList = [remarkBreaks];
