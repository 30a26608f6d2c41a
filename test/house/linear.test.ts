import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { changeNumbersIn } from "../../src/contract/change-id.ts";
import { JsonObject } from "../../src/contract/fields.ts";
import { parseReference } from "../../src/contract/links.ts";
import { ReminderList } from "../../src/contract/remind.ts";
import { findRepetition, readRepetition } from "../../src/contract/repeat/find-repetition.ts";
import { readRule } from "../../src/contract/repeat/rule.ts";
import { normalizeClientName } from "../../src/doors/mcp/caller.ts";
import { readDestination } from "../../src/doors/pages/destination.ts";
import { lineChanges } from "../../src/features/activity/line-changes.ts";
import { calendarSteps } from "../../src/features/dashboard/calendar.ts";
import { cutToTokens, estimateTokens } from "../../src/features/dashboard/token-budget.ts";
import { editText } from "../../src/features/documents/edit-text.ts";
import { readExportLine } from "../../src/features/export/format.ts";
import { cutToLength } from "../../src/features/memories/tool-memory.ts";
import { allowsChange, matchesVersion } from "../../src/platform/http/etag.ts";
import { hasEmbeddedFile } from "../../src/platform/tools/secrets.ts";
import { readInput } from "../../src/platform/tools/tool-input.ts";
import { replaceFileLinks } from "../../src/shared/files/links.ts";
import { renderDocumentFile } from "../../src/shared/files/note.ts";
import { readDate } from "../../src/shared/import/dates.ts";
import { readAsEarlierRelease } from "../../src/shared/import/earlier-releases.ts";
import { decodeText } from "../../src/shared/import/encoding.ts";
import { readNoteText } from "../../src/shared/import/markdown.ts";
import { extractProperties, withCalloutsAsQuotes } from "../../src/shared/import/notion/page.ts";
import { withTitleLinks } from "../../src/shared/import/notion/read.ts";
import { withoutPageAddresses } from "../../src/shared/import/notion-names.ts";
import { replaceReferences } from "../../src/shared/import/references.ts";
import { blankComments } from "../../src/shared/markdown/comments.ts";
import { searchableText } from "../../src/shared/markdown/content-text.ts";
import { documentExcerpt } from "../../src/shared/markdown/excerpt.ts";
import { linkTargetsIn } from "../../src/shared/markdown/note-links.ts";
import { plainText } from "../../src/shared/markdown/plain-text.ts";
import { sectionNameAtInSteps, sectionsOf } from "../../src/shared/markdown/sections.ts";
import { tasksOf } from "../../src/shared/markdown/tasks.ts";
import { secretKindIn } from "../../src/shared/text/secrets.ts";
import { runSteps } from "../../src/shared/text/steps.ts";
import { makeFingerprint } from "../../src/shared/tidy/fingerprint.ts";
import { doneWord } from "../../src/shared/tidy/single.ts";
import { MAX_READ_LENGTH } from "../../src/shared/when/day.ts";
import { dayProblem } from "../../src/shared/when/day-problem.ts";
import { readWhen } from "../../src/shared/when/when.ts";
import { filled, growthOf, MOST_GROWTH, slownessOf } from "../kit/linear.ts";

// No function that reads a user's text may take more than linear time: one request could block all others.

type Shape = string | ((length: number) => string);

const BLOCKS = [
  ...["a\n=\n", "# a\n", "#\n", "- ", "> ", "1. ", "- a\n", "> a\n", "- > ", "---\n", "* * ", "- - x\n"],
  ...["```\n"],
  ...["~~~\na\n", "<!--\n", "<div>\n\n", '<a b="', "    a\n", "\t", " ", "\n", "\r", "\r\n", "[a]: b\n"],
  ...["[a]: b (\n", '[a]: b "\n', "[a\n", "+++\n", "a\n\n", "| a |\n", "\u00a0", "\u3000", "=\n", "_\n"],
  ...["1\n"],
  ...["-\n\n", "\ta\n", "-\ta\n", "> > >", "1. 1. 1.", "[a]: b\n=\n", "*a*\n=\n", "\n-\n``", "<a\n-\n"],
];
const INLINES = [
  ...["*", "*_", "*_*_", "**a ", "a*", "_a_ ", "a**b*", "`", "`a", "``a` ", "[", "]", "](", "[a](b", "[a](<"],
  ...["[a](b '", "[a](b)", "![", "<", "<a ", "<a b='", "<!--", "\\", "&", "&#", "&amp;", "(", '"'],
];
const TASKS = [
  ...["- [ ] a\n", "- [ ] ", "[ ] ", "- - [x] a\n", "> - [ ] a\n", "- [a]: b\n  [ ] c\n", "[x]\n"],
  ...["- [ ] a\nb\n"],
];
const NOTION = [
  ...["<aside>\n", "</aside>\n", "<aside></aside>", "  <aside>\n\n</aside>\n", "```\n<aside>\n"],
  ...["[a](", "[a](b(c)", "[](b[](b", `[a](x%20${"0".repeat(32)}.md)`, "https://notion.so/", "a: b\n"],
  ...[" (", ` (${"0".repeat(40)}`, ` (${"0".repeat(32)})`, "# ", "\n", "\n# a\n"],
];
/** Each half of a text repeats a shape of its own. */
const halves =
  (first: string, second: string, between = "\n"): Shape =>
  (length) =>
    `${filled(first, length / 2)}${between}${filled(second, length / 2)}`;
const NESTED = ["- ".repeat(400), "> ".repeat(400), "- > ".repeat(200)].flatMap((nested) =>
  ["\n", "a\n", " ", "- ", "> a\n"].map((shape) => halves(nested, shape)),
);
/** Two texts in one. */
const PAIRS = [
  ...[halves("a\n", "b\n", "\0"), halves("a\n", "a\nb\n", "\0"), halves("ab", "ba", "\0")],
  ...[halves("\n", "\r\n", "\0"), halves("a\nb\nc\n", "c\na\n", "\0")],
];
const WORDS = ["  ", "fri  ", "3.  ", "at  9", "until ", "next year ", "or monday ", "9 uhr ", "what do "];
const SHAPES = [
  ...["1MO,", "every 1st and ", "jeden 1. ", "am am am 1.1.1.", "by the 1st of may 2, ", "bis zum "],
  ...["in 2 weeks from ", "montag bis ", "a", " ", "\t", "1", ",", ":", "/", "#1", "a:", "doc:", "eyJ-"],
  ...["password is ", "be done ", "-----BEGIN ", "4111 ", "a_", "http://a:", "\\", '"', "[", '{"a":'],
  ...["\u00e9", "\ud83d\ude00", "\n", "W/", "01936b1e-7c3a-7f10-9a53-2f6f3c1d8e42#1 "],
];

const input = z.strictObject({ id: z.uuid(), ids: z.array(z.uuid()), n: z.int() });
/** What a tool makes of its input; a refusal is an answer, too. */
const asInput = (sent: object) => {
  try {
    readInput({ name: "tool", input }, sent);
  } catch {}
};
const today = { today: "2026-11-25" };
const at = "2026-11-20T09:30:00.000Z";
const asFile = (fields: object) => {
  const document = { title: "A", tags: [], content: {}, created_at: at, updated_at: at, ...fields };
  return renderDocumentFile(document, { folders: [] });
};
const sourceOf = (text: string) => ({ text, front_matter_source: `---\na: ${text.slice(0, 4_000)}\n---\n` });
const NO_LINKS = {
  project: null,
  due_date: null,
  supersedes: null,
  series: null,
  document_id: null,
  is_linked: null,
};
const NO_DATES = {
  ...{ due_time: null, remind: null },
  ...{ repeat: null, repeat_from: null, repeat_start: null, next_values: null },
};
const MEMORY = {
  id: 1,
  owner: "a",
  topic: "Slides",
  due_date: at.slice(0, 10),
  updated_at: at,
  series_id: null,
};

const READERS: [name: string, read: (text: string) => unknown, shapes?: Shape[]][] = [
  ["the sections of a text", sectionsOf, [...BLOCKS, ...INLINES, ...NESTED]],
  [
    "the comments of a text",
    blankComments,
    ["%%", "%% ", "%%\n", "a%%\n\n", "> %%\n", "`%%", "%%%", ...BLOCKS],
  ],
  ["the tasks of a text", (text) => tasksOf(`${text}\n\n- [ ] a`), [...TASKS, ...BLOCKS]],
  ["a heading", plainText, INLINES],
  [
    "the links of a text",
    (text) => [linkTargetsIn(text), linkTargetsIn("", { related: text, others: [text] })],
    [
      ...BLOCKS,
      ...INLINES,
      "[[",
      "[[a",
      "]]",
      "[[a]]",
      "[[a#",
      "[[a|b",
      "[a](b.md)",
      "[a](b.md#",
      "[a]: b.md\n",
      "a. ",
      "%",
    ],
  ],
  [
    "the first words of a text",
    (text) => documentExcerpt({ title: "A", content: { text } }),
    [...BLOCKS, "[a](b", "![a](", "<a ", "* **", "`", "%%", "==a ", "[[", "[[a|", "> [!a] "],
  ],
  [
    "a page of Notion",
    (text) => [
      withTitleLinks(withCalloutsAsQuotes(text), new Map([["0".repeat(32), "a"]])),
      extractProperties(`# T\n\n${text}`, new Set(["a"])),
      withoutPageAddresses(text),
    ],
    NOTION,
  ],
  ["the lines that changed", (text) => lineChanges(...(text.split("\0") as [string, string])), PAIRS],
  [
    "a section that is replaced",
    (text) =>
      editText(`# A\n${text}\n# B\n`, {
        ...{ operation: "replace_section", section: "A", text: `${text.slice(0, 3)}new` },
      }),
    ["\n", " \n", "a\n", "\t", "b\n\n", "\r\n"],
  ],
  [
    "the changes that many ranges name together",
    ({ length }) => {
      const most = length / 1000;
      return changeNumbersIn(
        Array.from({ length: most }, (_, n) => `${`${n + 1}-${most},`.repeat(99)}1`),
        most,
      );
    },
    ["x"],
  ],
  ["the text of content", (text) => searchableText({ text: [text, { a: text }] })],
  ["JSON content", (text) => JsonObject.safeParse({ [text]: text })],
  ["a tool's id", (text) => asInput({ id: text })],
  ["a tool's list", (text) => asInput({ ids: text })],
  ["a tool's number", (text) => asInput({ n: text })],
  ["a reference", parseReference],
  ["a secret", secretKindIn],
  ["whether a text says done", doneWord],
  [
    "what is compared of a text",
    (text) => {
      const title = text.slice(0, 500);
      const memory = { type: "memory", id: "1", at: "", changed: null, memory_type: null } as const;
      return makeFingerprint({ ...memory, ...NO_LINKS, title, text });
    },
  ],
  ["a file in a text", hasEmbeddedFile],
  ["the section of a place", (text) => runSteps(sectionNameAtInSteps(text, text.length))],
  ["If-Match", (text) => allowsChange(text, 1)],
  ["If-None-Match", (text) => matchesVersion(text, 1)],
  ["tokens", estimateTokens],
  ["a cut to tokens", (text) => cutToTokens(text, 1e9)],
  ["a cut", (text) => cutToLength(text, 500)],
  ["a client's name", normalizeClientName],
  ["a destination", (text) => readDestination(`/open/doc/${text}`)],
  ["a line of an export", readExportLine],
  [
    "a document as a file",
    (text) => asFile({ content: { text, a: text, front_matter: { b: { [text]: text } } } }),
  ],
  ["front matter as it came", (text) => asFile({ title: text, tags: [text], content: sourceOf(text) })],
  [
    "front matter as earlier releases read it",
    (text) => {
      const note = {
        where: "a.md",
        path: "a.md",
        name: "a.md",
        source: "",
        tags: [],
        folders: [],
        notes: [],
      };
      const content = { format: "markdown", ...sourceOf(text) };
      return readAsEarlierRelease({ ...note, title: text, content }, []);
    },
  ],
  ["front matter", (text) => readNoteText(`---\n${text}\n---\n`, "a.md", [])],
  ["front matter after a line", (text) => readNoteText(`---\na: b: c\n${text}\n---\n`, "a.md", [])],
  ["front matter in quotes", (text) => readNoteText(`---\na: "${text}\n---\n`, "a.md", [])],
  ["front matter in TOML", (text) => readNoteText(`+++\na = ${text}\n+++\n`, "a.md", [])],
  ["tags in front matter", (text) => readNoteText(`---\ntags: ${text}\n---\n`, "a.md", [])],
  ["the encoding of a text", (text) => decodeText(new TextEncoder().encode(text))],
  ["a date", (text) => readDate(`2026-11-20 9:30 ${text}`)],
  ["links to files", (text) => replaceFileLinks(text, () => "x")],
  ["references to files", (text) => replaceReferences(text, () => "x")],
  ["a rule", (text) => readRule(text, today)],
  ["a part of a rule", (text) => readRule(`FREQ=MONTHLY;BYDAY=${text}`, today)],
  ["words of repetition", (text) => readRepetition(`every ${text}`, today)],
  ["a repetition in a sentence", (text) => findRepetition(text, today)],
  ["a day in a line", (text) => readWhen(text, today)],
  ["a day that is not understood", (text) => dayProblem(text, today.today)],
  ["a reminder", (text) => ReminderList.safeParse([{ at: text }, { before: `PT${text}` }])],
  ["a calendar", (text) => runSteps(calendarSteps([{ ...MEMORY, ...NO_DATES, content: text }], "a"))],
];

test.each(READERS)("%s: read in linear time", async (_, read, shapes = SHAPES) => {
  for (const shape of shapes) {
    const slowness = await slownessOf((length) => {
      const text = typeof shape === "string" ? filled(shape, length) : shape(length);
      return () => read(text);
    });
    expect(slowness, String(shape)).toBeUndefined();
  }
});

/** Only the first 2,000 characters of a line are read, so longer ones would hide how the time grows. */
test("a day is found in linear time in a line of any repeated words", async () => {
  const Word = fc.constantFrom(...SHAPES.filter((shape) => typeof shape === "string"), ...WORDS);
  const property = fc.asyncProperty(fc.array(Word, { minLength: 1, maxLength: 4 }), async (words) => {
    const growth = await growthOf((length) => {
      const text = filled(words.join(""), length);
      return () => readWhen(text, today);
    }, MAX_READ_LENGTH);
    expect(growth, JSON.stringify(words)).toBeLessThan(MOST_GROWTH);
  });
  await fc.assert(property, {
    numRuns: 15,
    endOnFailure: true,
    examples: WORDS.map((word) => [[word]]),
  });
});

test("the sections of any repeated shapes are found in linear time", async () => {
  const Shape = fc.array(fc.constantFrom("\n", "\n", ...BLOCKS, ...INLINES), { minLength: 1, maxLength: 5 });
  const Shapes = fc.array(Shape, { minLength: 1, maxLength: 3 });
  const property = fc.asyncProperty(Shapes, async (shapes) => {
    const slowness = await slownessOf((length) => {
      const text = shapes.map((shape) => filled(shape.join(""), length / shapes.length)).join("");
      return () => sectionsOf(text);
    });
    expect(slowness).toBeUndefined();
  });
  await fc.assert(property, { numRuns: 25 });
}, 120_000);
