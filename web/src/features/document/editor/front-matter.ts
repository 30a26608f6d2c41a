import type { Input, PartialParse, TreeFragment } from "@lezer/common";
import type { MarkdownConfig } from "@lezer/markdown";

// Front matter as a block of its own: as Markdown it would be a rule and a heading.

/** Longer front matter is taken for Markdown: whether it ends is looked for at each key. */
const MAX_READ = 20_000;

/** Where the front matter ends that a text begins with, after its last fence; 0 if it has none. */
function endIn(input: Input): number {
  const fence = input.read(0, Math.min(3, input.length));
  if (fence !== "---" && fence !== "+++") return 0;
  const text = input.read(0, Math.min(MAX_READ, input.length));
  if (!text.startsWith("\n", 3)) return 0;
  for (let at = text.indexOf(`\n${fence}`, 3); at >= 0; at = text.indexOf(`\n${fence}`, at + 1)) {
    const end = at + 1 + fence.length;
    if (end === input.length || text[end] === "\n") return end;
  }
  return 0;
}

const hadFrontMatter = ([first]: readonly TreeFragment[]) =>
  first?.from === 0 && first.tree.topNode.firstChild?.name === "FrontMatter";

/**
 * @param begin begins to parse a text anew: of what was parsed when it had no front matter, or had one, nothing remains
 */
export function frontMatter(begin: (input: Input) => PartialParse): MarkdownConfig {
  /** Of the text that is being parsed. */
  let end = 0;
  return {
    defineNodes: [{ name: "FrontMatter", block: true }],
    parseBlock: [
      {
        name: "FrontMatter",
        before: "HorizontalRule",
        parse: (context) => {
          if (end === 0 || context.lineStart !== 0) return false;
          while (context.nextLine() && context.lineStart < end);
          context.addElement(context.elt("FrontMatter", 0, end));
          return true;
        },
      },
    ],
    wrap: (parse, input, fragments, ranges) => {
      const own = ranges[0]?.from === 0 ? endIn(input) : 0;
      const isOther = fragments[0]?.from === 0 && hadFrontMatter(fragments) !== own > 0;
      if (isOther) return begin(input);
      return {
        advance: () => {
          end = own;
          return parse.advance();
        },
        stopAt: (at) => parse.stopAt(at),
        get parsedPos() {
          return parse.parsedPos;
        },
        get stoppedAt() {
          return parse.stoppedAt;
        },
      };
    },
  };
}
