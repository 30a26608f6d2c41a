import remarkBreaks from "remark-breaks";
import remarkGfm from "remark-gfm";
import { remarkCallouts } from "./callouts.ts";
import { remarkComments } from "./comments.ts";
import { remarkInlineSyntax } from "./inline-syntax.ts";

/** How the app reads Markdown: GFM and Obsidian's links, marks, comments and callouts, with line breaks as written. */
export const REMARK_PLUGINS = [remarkGfm, remarkInlineSyntax, remarkComments, remarkCallouts, remarkBreaks];
