import { expect, test } from "vitest";
import type { DocumentEditRequest as Edit } from "../../../src/contract/document.ts";
import { MAX_DOCUMENT_BYTES } from "../../../src/features/documents/document-size.ts";
import { editText } from "../../../src/features/documents/edit-text.ts";
import { AppError } from "../../../src/platform/core/errors.ts";

const PLAN = `# Plan

Intro.

## Monday

- swim
  - twice

### Morning

early

## Tuesday

run
`;

const append = (text: string, section?: string): Edit => ({ operation: "append", text, section });
const prepend = (text: string, section?: string): Edit => ({ operation: "prepend", text, section });
const all = (text: string): Edit => ({ operation: "replace_all", text });
const replace = (find_text: string, text: string, expected_replacements?: number): Edit => ({
  ...{ operation: "find_replace", find_text, text, expected_replacements },
});
const section = (name: string, text: string): Edit => ({ operation: "replace_section", section: name, text });

const DONE: [name: string, before: string, edit: Edit, after: string][] = [
  ["append adds a line", "a\n", append("b"), "a\nb"],
  ["append adds a line break where there is none", "a", append("b"), "a\nb"],
  ["append does not double a line break", "a", append("\n\nb"), "a\n\nb"],
  ["append to nothing adds no break", "", append("b"), "b"],
  ["append uses the document's line endings", "a\r\nb", append("c\nd"), "a\r\nb\r\nc\r\nd"],
  ["prepend adds a line before", "a", prepend("b"), "b\na"],
  ["replace_all replaces all", "a", all(""), ""],
  ["find_replace replaces every occurrence", "a b a", replace("a", "$&"), "$& b $&"],
  ["find_replace accepts the expected number", "a b a", replace("a", "", 2), " b "],
  ["find_replace finds lines with CRLF", "a\r\nb\r\nc", replace("a\nb", "x\ny"), "x\r\ny\r\nc"],
  [
    "a section is replaced including the headings inside it, and keeps its own",
    PLAN,
    section("Monday", "rest"),
    "# Plan\n\nIntro.\n\n## Monday\n\nrest\n\n## Tuesday\n\nrun\n",
  ],
  ["the last section keeps the end of the text", PLAN, section("Tuesday", "go"), PLAN.replace("run", "go")],
  ["a section inside another", PLAN, section("### Morning", "late"), PLAN.replace("early", "late")],
  [
    "a repeated heading is not written twice",
    PLAN,
    section("Tuesday", "## Tuesday\n\nwalk"),
    PLAN.replace("run", "walk"),
  ],
  ["an empty section is filled", "# A\n\n# B\n", section("A", "new"), "# A\n\nnew\n\n# B\n"],
  ["a heading at the very end is filled", "# A", section("A", "new"), "# A\nnew"],
  ["a section is emptied", "# A\n\nold\n\n# B\n", section("A", ""), "# A\n\n# B\n"],
  ["tight lines stay tight", "# A\nold\n# B\n", section("A", "new"), "# A\nnew\n# B\n"],
  [
    "underlined headings are headings",
    "Title\n=====\n\none\n\nPart\n----\n\ntwo\n",
    section("Part", "2"),
    "Title\n=====\n\none\n\nPart\n----\n\n2\n",
  ],
  [
    "an underlined heading after the section stays a heading",
    "# A\n\n```\ncode\n```\nNext\n====\n",
    section("A", "new"),
    "# A\n\nnew\n\nNext\n====\n",
  ],
  [
    "a # in a code fence is not a heading",
    "# A\n\n```sh\n# not a heading\n```\n\n# B\n\nb\n",
    section("A", "new"),
    "# A\n\nnew\n\n# B\n\nb\n",
  ],
  [
    "a heading within a list or block quote does not count",
    "# A\n\n- # item\n\n> # quoted\n\n# B\n",
    section("A", "new"),
    "# A\n\nnew\n\n# B\n",
  ],
  [
    "front matter is not a heading",
    "---\ntitle: A\n---\n\n# A\n\nold\n",
    section("A", "new"),
    "---\ntitle: A\n---\n\n# A\n\nnew\n",
  ],
  [
    "a heading may be named without its markup",
    "## The `code` **part** ##\n\nold\n",
    section("The code part", "new"),
    "## The `code` **part** ##\n\nnew\n",
  ],
  ["or with it", "## The **part**\n\nold\n", section("## The **part**", "new"), "## The **part**\n\nnew\n"],
  ["CRLF is kept", "# A\r\n\r\nold\r\n\r\n# B\r\n", section("A", "x\ny"), "# A\r\n\r\nx\r\ny\r\n\r\n# B\r\n"],
  [
    "# signs select the level",
    "# A\n\none\n\n## A\n\n2\n",
    section("## A", "x"),
    "# A\n\none\n\n## A\n\nx\n",
  ],
  [
    "append to a section adds to its end, before the next heading of its level",
    PLAN,
    append("late", "Monday"),
    PLAN.replace("early\n", "early\nlate\n"),
  ],
  ["append to the last section", PLAN, append("- walk", "Tuesday"), `${PLAN}- walk\n`],
  ["append to a section at the very end", "# A\nx", append("y", "A"), "# A\nx\ny"],
  ["append to an empty section", "# A\n\n# B\n", append("new", "A"), "# A\n\nnew\n\n# B\n"],
  ["append keeps a blank line", "# A\n\nx\n\n# B\n", append("\ny\n", "A"), "# A\n\nx\n\ny\n\n# B\n"],
  ["append does not repeat a heading", PLAN, append("## Tuesday\nwalk", "Tuesday"), `${PLAN}walk\n`],
  [
    "append to a section in a text with CRLF",
    "# A\r\n\r\nx\r\n\r\n# B\r\n",
    append("y\nz", "A"),
    "# A\r\n\r\nx\r\ny\r\nz\r\n\r\n# B\r\n",
  ],
  [
    "prepend to a section adds below its heading",
    PLAN,
    prepend("- wake", "Monday"),
    PLAN.replace("- swim", "- wake\n- swim"),
  ],
  ["prepend to an empty section", "# A\n# B\n", prepend("new", "A"), "# A\n\nnew\n\n# B\n"],
];

test.each(DONE)("%s", (_, before, edit, after) => {
  expect(editText(before, edit)).toBe(after);
});

const [SHORT, HIDING] = ["# A\n\nold\n\n# B\n", /would hide the headings after the section/];
const REFUSED: [name: string, before: string, edit: Edit, status: number, detail: RegExp][] = [
  ["an edit that changes nothing", "a", all("a"), 400, /changes nothing/],
  ["an append of an empty text", "a", append(""), 400, /changes nothing/],
  ["a text that does not occur", "a", replace("b", ""), 400, /occurs 0 times/],
  ["a count other than expected", "a a a", replace("a", "b", 2), 400, /occurs 3 times, not 2/],
  ["an unknown section", PLAN, section("Sunday", "x"), 400, /# Plan; ## Monday; ### Morning/],
  ["a text without sections", "plain", section("A", "x"), 400, /no headings/],
  ["an append to an unknown section", PLAN, append("x", "Sunday"), 400, /there is no "Sunday"/],
  ["an append with an open code fence", SHORT, append("```", "A"), 400, HIDING],
  ["a name shared by several sections", "# A\n\n1\n\n# A\n\n2\n", section("A", "x"), 400, /2 sections/],
  ["an open code fence", SHORT, section("A", "```\ncode"), 400, HIDING],
  [
    "more than a document may have",
    "a".repeat(MAX_DOCUMENT_BYTES),
    append("b"),
    413,
    /1,998,602 characters, but a document can have at most 1,998,600 bytes/,
  ],
  [
    "a replacement that would take gigabytes",
    "a".repeat(1_000_000),
    replace("a", "b".repeat(100_000)),
    413,
    /100,000,000,000 characters/,
  ],
];

test.each(REFUSED)("refused: %s", (...[, before, edit, status, message]) => {
  const refused = expect.objectContaining({ status, message: expect.stringMatching(message) });
  expect(() => editText(before, edit)).toThrow(refused);
  expect(() => editText(before, edit)).toThrow(AppError);
});
