import type { Input, PartialParse, TreeFragment } from "@lezer/common";
import type { MarkdownConfig } from "@lezer/markdown";

// Parses front matter as a separate block. Plain Markdown would read it as a horizontal rule and a heading.

/** Longer front matter is treated as Markdown, because its end is searched at each keystroke. */
const MAX_READ = 20_000;

/** The end of the front matter, after its closing fence; 0 if there is none. */
function frontMatterEnd(input: Input): number {
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

/** `begin` restarts parsing: earlier results are invalid once front matter appears or disappears. */
export function frontMatterSyntax(begin: (input: Input) => PartialParse): MarkdownConfig {
  /** The end of the front matter in the text being parsed. */
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
      const inputEnd = ranges[0]?.from === 0 ? frontMatterEnd(input) : 0;
      const hasChanged = fragments[0]?.from === 0 && hadFrontMatter(fragments) !== inputEnd > 0;
      if (hasChanged) return begin(input);
      const advance = parse.advance.bind(parse);
      parse.advance = () => {
        end = inputEnd;
        return advance();
      };
      return parse;
    },
  };
}
