import remarkBreaks from "remark-breaks";
import remarkGfm from "remark-gfm";
import type { PluggableList } from "unified";

/** The syntax beyond CommonMark. */
export const SYNTAX_PLUGINS: PluggableList = [remarkGfm];

/** What rendered Markdown is read with. A line break is shown as one, as in comments on GitHub. */
export const REMARK_PLUGINS: PluggableList = [...SYNTAX_PLUGINS, remarkBreaks];
