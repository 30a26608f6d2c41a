import { act, cleanup, fireEvent } from "@testing-library/react";
import fc from "fast-check";
import { expect, test } from "vitest";
import { LinksContext } from "../src/features/document/linked/linked-documents.ts";
import Prose from "../src/features/document/prose.tsx";
import { show } from "./kit/show.tsx";

// A click at any letter of any text is at that letter of the source. Each `W` becomes a word that occurs once, so that its
// place is known.

const inline = fc.constantFrom(
  ...["W", "W W", "**W W**", "*W*", "***W***", "`W W`", "`` W`W ``", "[W](https://a.example/x_y)"],
  ...["[[Folder/Note]]", "[[Note#Part]]", "[[Note|W]]", "==W W==", "~~W~~", "%%not seen%%", "W%%no%%W"],
  ...[
    "\\*W\\*",
    "&amp; W",
    "&eacute;W",
    "&nope; W",
    "[^1]",
    "<kbd>W</kbd>",
    "😀 W",
    "👩‍👩‍👧W",
    "שלום W",
    "مرحبا",
  ],
  ...[
    "W\nW",
    "W  \nW",
    "W\\\nW",
    "W<br>W",
    "**W\nW**",
    "`W\nW`",
    "![W](https://a.example/p.png) W",
    "W\u00a0W",
  ],
  ...[
    `![W](file:waiting-${"a".repeat(32)})`,
    "https://a.example/W",
    "<https://a.example/W>",
    "W@a.example",
    "[W][ref]",
    "[W]",
  ],
  ...["a == b", "**W*W*W**", "\\[!note] W", "$W_W$", "W&#32;W", "W\tW", "W   W", "<!-- no --> W", "_W_W"],
);
const line = fc.array(inline, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(" "));
const oneLine = line.map((text) => text.replace(/ *\\?\n/g, " "));
const cell = oneLine.map((text) => text.replace(/\|/g, "\\|"));

const prefixed = (first: string, rest: string, text: string) =>
  text
    .split("\n")
    .map((one, index) => (index === 0 ? first : rest) + one)
    .join("\n")
    .replace(/[ \t]+$/gm, (space) => (space.length >= 2 ? space : ""));

const { block } = fc.letrec<{ block: string; blocks: string }>((tie) => ({
  blocks: fc.array(tie("block"), { minLength: 1, maxLength: 3 }).map((all) => all.join("\n\n")),
  block: fc.oneof(
    { maxDepth: 3, depthSize: "medium" },
    line,
    oneLine.map((text) => `## ${text} ##`),
    line.map((text) => `${text}\n===`),
    fc.constantFrom(
      "```js\nW W\n\n  W\n```",
      "~~~\nW\n~~~",
      "    W\n      W\n\n    W",
      "---",
      "<div>\nW\n</div>",
      "%%\nnot seen\n%%",
      "`````\n```\nW\n`````",
    ),
    fc
      .array(fc.tuple(cell, cell), { minLength: 1, maxLength: 3 })
      .map((rows) => ["| a | b |", "|---|:-:|", ...rows.map((row) => `| ${row.join(" | ")} |`)].join("\n")),
    fc
      .tuple(fc.constantFrom("- ", "* ", "1. ", "10) ", "- [ ] ", "- [x] "), tie("blocks"), oneLine)
      .map(([mark, inner, more]) => {
        const indent = " ".repeat(mark.replace(/\[.\] /, "").length);
        return `${prefixed(mark, indent, inner)}\n${mark}${more}`;
      }),
    tie("blocks").map((inner) => prefixed("> ", "> ", inner)),
    line.map((inner) => prefixed("> ", "", inner)),
    fc
      .tuple(fc.constantFrom("", "-", "+"), oneLine, tie("blocks"))
      .map(([fold, title, inner]) => prefixed("> ", "> ", `[!tip]${fold} ${title}\n${inner}`)),
    fc
      .tuple(oneLine, tie("blocks"))
      .map(([title, inner]) => prefixed("> ", "> ", `[!tip] ${title}\n\n${inner}`)),
  ),
}));

const LETTERS = "bcdfghjklmnpqrstvwxz";
/** A text whose words occur once. */
function withWords(text: string): string {
  let count = 0;
  return text.replace(/(?<![A-Za-z])W(?![a-z])/g, () => {
    count += 1;
    const digits = [count / 400, count / 20, count].map((one) => LETTERS[Math.floor(one) % 20]);
    return `qu${digits.join("")}y`;
  });
}
const FOOTNOTE = "[ref]: https://a.example\n\n[^1]: It W *W*\n\n    W W";
const FILLING = "Some more of it.\n\n".repeat(700);

const texts = fc
  .tuple(fc.array(block, { minLength: 1, maxLength: 5 }), fc.nat(5))
  .map(([blocks, length]) =>
    withWords([...(length === 5 ? [FILLING] : []), ...blocks, FOOTNOTE].join("\n\n")),
  );

const CLICKED = /qu[a-z]{3}y/g;
const CONTROL = "a, button, input, summary, .visually-hidden, [data-picture]";

/** What a click at the middle of each word means, beside the place of the word. */
async function wrongPlaces(text: string): Promise<string[]> {
  const places: number[] = [];
  const resolve = (target: string) =>
    (target === "Note" ? { id: "1", title: "Another title", folder_path: null } : undefined) as never;
  show(
    <LinksContext value={{ resolve }}>
      <Prose text={text} title="Title" onPlace={(place) => places.push(place)} />
    </LinksContext>,
  );
  if (text.length > 10_000) await act(async () => void dispatchEvent(new Event("beforeprint")));
  const wrong: string[] = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const { data, parentElement: around } = node as Text;
    if (!around || around.closest(CONTROL)) continue;
    for (const { 0: word, index } of data.matchAll(CLICKED)) {
      const point = { offsetNode: node, offset: index + 3 };
      Object.assign(document, { caretPositionFromPoint: () => point });
      places.length = 0;
      fireEvent.click(around);
      const expected = text.indexOf(word) + 3;
      if (places.length !== 1 || places[0] !== expected)
        wrong.push(`${word}: ${places.map((place) => `${text.slice(Math.max(0, place - 20), place)}^`)}`);
    }
  }
  cleanup();
  return wrong;
}

test("a click at any letter is at that letter of the source", { timeout: 300_000 }, async () => {
  const isThorough = Boolean(process.env.NIGHTLY);
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      expect(await wrongPlaces(text)).toEqual([]);
    }),
    isThorough ? { numRuns: 500 } : { seed: 1, numRuns: 40 },
  );
});
