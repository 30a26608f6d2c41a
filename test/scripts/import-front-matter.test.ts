import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { renderDocumentFile } from "../../src/shared/files/note.ts";
import { toYaml } from "../../src/shared/files/yaml.ts";
import type { ImportItem } from "../../src/shared/import/item.ts";
import { readTextFile } from "../../src/shared/import/text-file.ts";

// Front matter as people and other programs write it: what is read of it, and that it goes out as it came in.

const encoder = new TextEncoder();

function read(written: string, path = "Note.md"): ImportItem {
  const found = readTextFile({ source: "", path, bytes: encoder.encode(written) }, []);
  if (!("content" in found)) throw new Error(JSON.stringify(found));
  return found;
}

const TIME = "2026-11-20T09:30:00.000Z";

const written = ({ title, tags, content, created_at, updated_at }: ImportItem) =>
  renderDocumentFile(
    {
      ...{ title, tags, content },
      created_at: created_at?.toISOString() ?? TIME,
      updated_at: updated_at?.toISOString() ?? TIME,
    },
    { folders: ["Some", "folder"] },
  ).text;

const valuesOf = ({ title, tags, content, created_at }: ImportItem) => ({ title, tags, content, created_at });

/** An exported note without what only our own import reads. */
const withoutBlock = (text: string) =>
  text.replace(/^commonplace:\r?\n(?: .*\n)*|^\[commonplace\]\n(?:\w+ = .*\n)*/m, "");

type Row = [
  front: string,
  is: { title?: string; tags?: string[]; created_at?: string; front_matter?: unknown; notes?: string[] },
];

const text = (names: string) =>
  `its front matter is not valid YAML, so these values were read as text: ${names}`;
const kept = (lines: string) =>
  `parts of its front matter were not understood and were left in the text: ${lines}`;

const ROWS: Record<string, Row> = {
  "a note of Obsidian": [
    "title: A\naliases: [B, 'C']\ntags:\n  - a\n  - b/c\ncssclasses:\n- wide # all of it\n",
    { title: "A", tags: ["a", "b/c"], front_matter: { aliases: ["B", "C"], cssclasses: ["wide"] } },
  ],
  "a placeholder": [
    "title: {{title}}\ndate: {{date:YYYY-MM-DD}}\n",
    {
      title: "{{title}}",
      front_matter: { date: "{{date:YYYY-MM-DD}}" },
      notes: ["date is not a date and was not used"],
    },
  ],
  placeholders: [
    "title: {{date}} {{time}}\nby: {{me}}\n",
    { title: "{{date}} {{time}}", front_matter: { by: "{{me}}" }, notes: [text("title")] },
  ],
  "a placeholder in a list": ["with: [{{who}}, x]\n", { front_matter: { with: ["{{who}}", "x"] } }],
  digits: [
    "a: 007\nb: 1.10\nc: 12345678901234567890\nd: 0x1F\ne: +5\nf: 1_000\ng: -0\nh: 1e3\ni: .inf\n",
    {
      front_matter: {
        ...{ a: "007", b: "1.10", c: "12345678901234567890", d: "0x1F", e: "+5", f: "1_000", g: "-0" },
        ...{ h: "1e3", i: ".inf" },
      },
    },
  ],
  "numbers, and what is quoted": [
    "a: 7\nb: -1.5\nc: '007'\nd: \"1.10\"\ne: true\nf: ~\ng:\nh: 9007199254740993\n",
    {
      front_matter: { a: 7, b: -1.5, c: "007", d: "1.10", e: true, f: null, g: null, h: "9007199254740993" },
    },
  ],
  "a number as title and tags": [
    "title: 1.10\ntags: [2026, 007]\n",
    { title: "1.10", tags: ["2026", "007"] },
  ],
  "names that are numbers": [
    "007: a\n1.0: {02: b}\n",
    { front_matter: { "007": "a", "1.0": { "02": "b" } } },
  ],
  tag: ["tag: a\n", { tags: ["a"] }],
  Tags: ["Tags: [a, b]\n", { tags: ["a", "b"] }],
  "TAGS and tag": ["TAGS: a\ntag: b\nTitle: T\n", { title: "T", tags: ["a", "b"] }],
  "tags with spaces between": ["tags: a b/c  d\n", { tags: ["a", "b/c", "d"] }],
  "tags with commas between": ["tags: a, b c, d\n", { tags: ["a", "b c", "d"] }],
  "tags with a #": ["tags: #a #b\n", { tags: ["a", "b"] }],
  "a tag with and one without #": ["tags: a #b\n", { tags: ["a", "b"] }],
  "a list of tags with a #": ["tags: [#a, #b]\n", { tags: ["a", "b"], notes: [text("tags")] }],
  "lines of tags with a #": ["tags:\n  - #a\n  - '#b'\n  - c # not d\n", { tags: ["a", "b", "c"] }],
  "tags with a comment": ["tags: a # as always\n", { tags: ["a"] }],
  "an object in place of tags": ["tags: {a: 1}\n", { front_matter: { tags: { a: 1 } } }],
  "a colon in a title": [
    "title: Meeting: the plan\nstatus: draft\n",
    { title: "Meeting: the plan", front_matter: { status: "draft" }, notes: [text("title")] },
  ],
  "a title with an @": ["title: @home\ntags: [a]\n", { title: "@home", tags: ["a"], notes: [text("title")] }],
  "brackets in a title": ["title: [WIP] plan\n", { title: "[WIP] plan", notes: [text("title")] }],
  "a link as title": ["title: [[Rome]]\n", { title: "[[Rome]]" }],
  tabs: ["title:\tA\ntags:\n\t- a\n\t- b\n", { title: "A", tags: ["a", "b"] }],
  "quotes that do not end": [
    "a: \"b\nc: 'd\n",
    { front_matter: { a: '"b', c: "'d" }, notes: [text("a, c")] },
  ],
  "items that are no YAML": [
    "tags:\n  - @home\n  - b\nx: !secret y\n",
    { tags: ["@home", "b"], front_matter: { x: "!secret y" }, notes: [text("tags, x")] },
  ],
  "a line of prose": [
    "title: A\nwhat is this\n  and that\nstatus: 007 # as written\n",
    { title: "A", front_matter: { status: "007" }, notes: [kept("line 3 (what is this\n  and that)")] },
  ],
  "a name that is there twice": [
    "a: 1\nb: 2\na: 3\n",
    { front_matter: { a: 1, b: 2 }, notes: [kept("line 4 (a: 3)")] },
  ],
  "anchors, blocks and comments": [
    "# first\na: &x [1, 2]\nb: *x\nc: |\n  d\n\n  # e\n\n# last\nf: >-\n  g\n  h\n",
    { front_matter: { a: [1, 2], b: [1, 2], c: "d\n\n# e\n", f: "g h" } },
  ],
  nothing: ["", {}],
  dates: [
    "created: 2024-03-01 9:30:15 +0530\nupdated: 2024-07-01T12:30[Europe/Berlin]\n",
    {
      created_at: "2024-03-01T04:00:15.000Z",
      front_matter: { created: "2024-03-01 9:30:15 +0530", updated: "2024-07-01T12:30[Europe/Berlin]" },
    },
  ],
};

const TOML: Record<string, Row> = {
  TOML: [
    'title = "A"\ndate = 2024-03-01T10:00:00+02:00 # then\ntags = ["a", "b c"]\ndraft = true\n\n[params]\nversion = 1.10\nn = 12345678901234567890\nok = 12\n',
    {
      ...{ title: "A", tags: ["a", "b c"], created_at: "2024-03-01T08:00:00.000Z" },
      front_matter: {
        ...{ date: "2024-03-01T10:00:00+02:00", draft: true },
        params: { version: "1.10", n: "12345678901234567890", ok: 12 },
      },
    },
  ],
  "TOML in all its forms": [
    "a = '''\nb = 007\n[c]\n'''\nd = [ # numbers\n  1.0, 2,\n  [3.50, \"# 4.0\"]]\ne = {f = 1_000, 02 = inf}\n\"g.1\" = 1979-05-27 07:32:00\nh.i = 0x1F\n[[j.2026]]\nk = -0\n",
    {
      front_matter: {
        ...{ a: "b = 007\n[c]\n", d: ["1.0", 2, ["3.50", "# 4.0"]], e: { f: "1_000", "02": "inf" } },
        ...{ "g.1": "1979-05-27 07:32:00", h: { i: "0x1F" }, j: { "2026": [{ k: "-0" }] } },
      },
    },
  ],
};

const BODY = "\n# Heading\n\ntext\n---\nmore\n";

const files = [
  ...Object.entries(ROWS).flatMap(([name, [front, is]]) => [
    { name, file: `---\n${front}---\n${BODY}`, is },
    { name: `${name}, ending with …`, file: `---\n${front}...\n${BODY}`, is },
    {
      name: `${name}, with ends of lines of Windows`,
      file: `---\n${front}---\n${BODY}`.replaceAll("\n", "\r\n"),
      is,
    },
  ]),
  ...Object.entries(TOML).map(([name, [front, is]]) => ({ name, file: `+++\n${front}+++\n${BODY}`, is })),
];

const normal = (value: unknown) => JSON.parse(JSON.stringify(value ?? null).replaceAll("\\r\\n", "\\n"));

describe("front matter", () => {
  test.each(files)("is read, and goes out as it came in: $name", ({ file, is }) => {
    const item = read(file);
    expect({
      ...{ title: item.title, tags: item.tags, notes: normal(item.notes) },
      ...{ front_matter: normal(item.content.front_matter), created_at: item.created_at?.toISOString() },
    }).toEqual({
      ...{ title: is.title ?? "Heading", tags: is.tags ?? [], notes: is.notes ?? [] },
      ...{ front_matter: is.front_matter ?? null, created_at: is.created_at },
    });
    const out = written(item);
    expect(withoutBlock(out)).toBe(file);
    const again = read(out, "Other name.md");
    expect(valuesOf(again)).toEqual({ ...valuesOf(item), created_at: item.created_at ?? new Date(TIME) });
    const isOnDate = (note: string) => note.includes("not a date");
    expect(again.notes).toEqual(item.notes.filter((note) => !isOnDate(note)));
    expect(written(again)).toBe(out);
  });

  test("that is long is read, and goes out with its values", () => {
    const numbers = Array.from({ length: 500 }, (_, n) => n);
    const file = `---\n${numbers.map((n) => `name${n}: 00${n} # number`).join("\n")}\n---\ntext`;
    const item = read(file);
    expect(item.content).toEqual({
      ...{ format: "markdown", text: "text" },
      front_matter: Object.fromEntries(numbers.map((n) => [`name${n}`, `00${n}`])),
    });
    expect(valuesOf(read(written(item)))).toMatchObject({ content: item.content });
  });

  test("goes out with what has changed, and everything else as it was written", () => {
    const item = read(
      "---\n# mine\ntitle: A\nv: 1.10 # first\nTags: [a, b]\nwhat\nw: 007\nx: 1\n---\ntext\n",
    );
    const { w, ...front_matter } = item.content.front_matter as Record<string, unknown>;
    expect(w).toBe("007");
    const changed = { ...item, title: "B: c", tags: ["a", "#d"], created_at: new Date(TIME) };
    const content = { ...item.content, text: "other", front_matter: { ...front_matter, x: "007", y: [1] } };
    const tags = ["tags:", "  - a", '  - "#d"'];
    expect(written({ ...changed, content }).split("\n")).toEqual([
      ...["---", "# mine", 'title: "B: c"', "v: 1.10 # first", 'x: "007"', "y:", "  - 1", ...tags],
      ...["commonplace:", "  folder:", "    - Some", "    - folder"],
      ...[`  created_at: ${TIME}`, `  updated_at: ${TIME}`, ...tags.map((line) => `  ${line}`)],
      ...["---", "other"],
    ]);
  });

  test.for([["x"], [["folder"]], [{ folder: ["Mine"], created_at: TIME, own: 1 }], [null]])(
    "with a property of the name of our block, which is %j, comes in again with both",
    ([own]) => {
      for (const source of ["---\nv: 1.10\n---\ntext\n", "text\n"]) {
        const item = read(source);
        const { front_matter_source: _, ...content } = item.content;
        const front_matter = { ...(content.front_matter as object), commonplace: own };
        const text = written({ ...item, title: "A", content: { ...item.content, front_matter } });
        const again = read(text, "Some/folder/A.md");
        expect(again.folders).toEqual(["Some", "folder"]);
        expect(valuesOf(again)).toMatchObject({ title: "A", content: { ...content, front_matter } });
      }
    },
  );

  test("of TOML that has changed goes out as YAML", () => {
    const item = read('+++\ntitle = "A"\nv = 1.10\n+++\ntext\n');
    const { front_matter_source: _, ...content } = item.content;
    const again = read(written({ ...item, title: "B" }));
    expect(valuesOf(again)).toMatchObject({ title: "B", content });
  });
});

/** Separated by ¦. */
const TOKENS = [
  "007¦1.10¦0x1F¦1e3¦-0¦12345678901234567890¦true¦~¦null¦.nan¦2026-11-20¦{{x}}¦[[y]]¦[a, #b]¦{a: 1}¦@home¦a: b¦#tag",
  "# comment¦'¦\"¦- x¦|¦>-¦&a 1¦*a¦!t x¦%¦`¦...¦-¦?¦: ¦\t¦ ¦[¦]¦}¦ä¦\u2028¦\ufeff¦\r",
].flatMap((line) => line.split("¦"));
const NAMES = "a¦b¦title¦Title¦tags¦TAG¦date¦007¦1.0¦'q'¦\"q: r\"¦{{n}}¦é x".split("¦");
const token = fc.oneof(fc.constantFrom(...TOKENS), fc.string({ unit: "grapheme", maxLength: 8 }));
const value = fc.array(token, { maxLength: 3 }).map((parts) => parts.join(" "));
const name = fc.oneof(fc.constantFrom(...NAMES), token);
const line = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(name, value).map(([key, one]) => `${key}: ${one}`) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom("  ", "\t", "", "    "), value).map(([gap, one]) => `${gap}- ${one}`),
  },
  { weight: 1, arbitrary: value },
);
const yaml = fc
  .tuple(fc.array(line, { maxLength: 6 }), fc.constantFrom("\n", "\r\n"), fc.constantFrom("---", "..."))
  .map(([lines, end, fence]) => ["---", ...lines, fence, "text"].join(end));
const toml = fc
  .array(
    fc.tuple(name, value).map(([key, one]) => `${key} = ${one}`),
    { maxLength: 4 },
  )
  .map((lines) => ["+++", ...lines, "+++", "text"].join("\n"));
const values = fc
  .dictionary(fc.string({ unit: "grapheme", maxLength: 8 }), fc.oneof(token, fc.jsonValue({ maxDepth: 2 })), {
    maxKeys: 5,
  })
  .map((fields) => `---\n${toYaml(fields)}---\ntext`);

test("whatever front matter is, it is the same after an export, and nothing of it becomes another value", () => {
  fc.assert(
    fc.property(fc.oneof(yaml, toml, values), fc.constantFrom("A", "#b c", "007"), (file, word) => {
      const item = read(file);
      expect(valuesOf(read(written(item)))).toMatchObject({
        ...{ title: item.title, tags: item.tags, content: item.content },
      });
      const { front_matter_source: _, ...content } = item.content;
      const changed = {
        ...{ ...item, title: word, tags: [word] },
        content: { ...item.content, front_matter: { ...(content.front_matter as object), added: [word] } },
      };
      const again = read(written(changed));
      const { front_matter_source: _again, ...contentAgain } = again.content;
      const {
        title: _title,
        tags: _tags,
        ...front_matter
      } = changed.content.front_matter as Record<string, unknown>;
      expect({ ...again, content: contentAgain }).toMatchObject({
        ...{ title: word, tags: [word], content: { ...content, front_matter } },
      });
    }),
    { numRuns: 100 },
  );
});

test("a value of JSON that an export writes is the same value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (one) => {
      const said = JSON.parse(JSON.stringify({ one }));
      expect(read(`---\n${toYaml(said)}---\n`).content.front_matter).toEqual(said);
    }),
  );
});
