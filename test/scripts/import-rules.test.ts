import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseRetryAfter } from "../../scripts/common/retry.ts";
import { readFolder } from "../../scripts/import/files.ts";
import { normalizeApiUrl } from "../../scripts/import/url.ts";
import { Tag } from "../../src/contract/document.ts";
import { isTag } from "../../src/contract/tag-rule.ts";
import { splitFrontMatter } from "../../src/shared/files/front-matter.ts";
import { parseTags } from "../../src/shared/files/note-metadata.ts";
import { readDate, readTimes } from "../../src/shared/import/dates.ts";
import { decodeText } from "../../src/shared/import/encoding.ts";
import { type FoundEntry, fitTitle, hexDigest } from "../../src/shared/import/item.ts";
import { firstWords, readJsonLines } from "../../src/shared/import/json-lines.ts";
import { firstHeading, readNoteText } from "../../src/shared/import/markdown.ts";
import { isDailyNote, withVaultTitles } from "../../src/shared/import/obsidian.ts";
import { basename, extname, stem } from "../../src/shared/import/paths.ts";
import { readCsv } from "../../src/shared/import/records/csv.ts";
import { operationGroups } from "../../src/shared/import/write.ts";

// What the importer reads in a folder, a file and its options. Without a service.

test("a folder yields its texts, and reports what it skips", async () => {
  const root = await mkdtemp(join(tmpdir(), "commonplace-"));
  try {
    await mkdir(join(root, "sub", ".git"), { recursive: true });
    for (const file of [
      "a.md",
      "b.MDX",
      "c.markdown",
      "sub/d.txt",
      "e.pdf",
      "f",
      ".hidden.md",
      "sub/.git/x.md",
    ])
      await writeFile(join(root, file), `# Heading of ${file}`);
    await symlink(join(root, "a.md"), join(root, "link.md"));
    const found: FoundEntry[] = [];
    for await (const one of readFolder(root, { folders: [], tags: [] })) found.push(one);
    const texts = found.flatMap((one) =>
      "title" in one ? [[one.where, one.title, one.content.format]] : [],
    );
    expect(texts).toEqual([
      ["a.md", "Heading of a.md", "markdown"],
      ["b.MDX", "Heading of b.MDX", "markdown"],
      ["c.markdown", "Heading of c.markdown", "markdown"],
      ["sub/d.txt", "d", "text"],
    ]);
    expect(found.flatMap((one) => ("leftOut" in one ? [[one.where, one.leftOut]] : []))).toEqual([
      [".hidden.md", "hidden"],
      ["e.pdf", "not supported (.pdf)"],
      ["f", "not supported (no extension)"],
      ["link.md", "a symbolic link"],
      ["sub/.git", "hidden"],
    ]);
  } finally {
    await rm(root, { recursive: true });
  }
});

test("a note of Obsidian is called what its file is called, and its heading stays in its text", async () => {
  const root = await mkdtemp(join(tmpdir(), "commonplace-"));
  const read = async () => {
    const found: FoundEntry[] = [];
    for await (const one of readFolder(root, { folders: [], tags: [] })) found.push(one);
    return withVaultTitles(found);
  };
  const titlesIn = async () =>
    (await read()).flatMap((one) => ("title" in one ? [[one.where, one.title, one.content.text]] : []));
  try {
    await mkdir(join(root, "vault"));
    await writeFile(join(root, "2026-11-20.md"), "# Friday");
    await writeFile(join(root, "vault/rome.md"), "# Rome");
    await writeFile(join(root, "vault/oslo.md"), "---\ntitle: Oslo\n---\n# Fjord");
    await writeFile(join(root, "other.md"), "# Other");
    const others = [
      ["2026-11-20.md", "2026-11-20", "# Friday"],
      ["other.md", "Other", "# Other"],
      ["vault/oslo.md", "Oslo", "# Fjord"],
    ];
    expect(await titlesIn()).toEqual([...others, ["vault/rome.md", "Rome", "# Rome"]]);
    await mkdir(join(root, "vault/.obsidian"));
    expect(await titlesIn()).toEqual([...others, ["vault/rome.md", "rome", "# Rome"]]);
    await mkdir(join(root, ".obsidian"));
    expect((await titlesIn()).map(([, title]) => title)).toEqual(["2026-11-20", "other", "Oslo", "rome"]);
    // No heading that is too long for a title was cut for one.
    await writeFile(join(root, "long.md"), `# ${"x".repeat(501)}`);
    expect((await read()).flatMap((one) => ("notes" in one ? one.notes : []))).toEqual([]);
  } finally {
    await rm(root, { recursive: true });
  }
});

test("the names of daily notes are dates", () => {
  const daily = ["2026-11-20", "2026-11", "2026-W47", "2026-Q4", "2026-11-20 Friday", "2026-11-20, Fr."];
  const others = ["2026-11-20-a-post", "2026", "2026-11-20 Notes on Rome", "20 November", "2026-1-2", ""];
  expect(daily.filter((name) => !isDailyNote(name))).toEqual([]);
  expect(others.filter(isDailyNote)).toEqual([]);
});

test("a text is read in the encoding that it has", () => {
  const utf16 = (text: string, isBig = false) => {
    const bytes = Buffer.from(text, "utf16le");
    return new Uint8Array(isBig ? bytes.swap16() : bytes);
  };
  const bytes = (...all: number[]) => new Uint8Array(all);
  const german = "# Grüße\n\n„Café“ – 5 €\n";
  const cases: [Uint8Array, string, string][] = [
    [new TextEncoder().encode(german), german, "UTF-8"],
    [new TextEncoder().encode(`\ufeff${german}`), german, "UTF-8"],
    [new TextEncoder().encode("a\u0000b"), "a\u0000b", "UTF-8"],
    [new TextEncoder().encode("Hello wor\u0000ld"), "Hello wor\u0000ld", "UTF-8"],
    [bytes(), "", "UTF-8"],
    [utf16(`\ufeff${german}`), german, "UTF-16LE"],
    [utf16(`\ufeff${german}`, true), german, "UTF-16BE"],
    [utf16(german), german, "UTF-16LE"],
    [utf16(german, true), german, "UTF-16BE"],
    [utf16("# Привет мир\n"), "# Привет мир\n", "UTF-16LE"],
    [utf16("\ufeff日本語"), "日本語", "UTF-16LE"],
    [Buffer.from("Gr\xfc\xdfe \x80 \x84x\x93", "latin1"), "Grüße € „x“", "Windows-1252"],
  ];
  for (const [raw, text, encoding] of cases) expect(decodeText(raw)).toEqual({ text, encoding });
  const none = [
    bytes(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d),
    bytes(0xff, 0xfe, 0, 0xd8, 0x01),
    bytes(0xe4, 0, 0, 0, 0xe4),
    bytes(0x81, 0x8d),
  ];
  for (const raw of none) expect(() => decodeText(raw), raw.join()).toThrow("is not a text in UTF-8, UTF-16");
});

const SENTENCES =
  "The quick fox. Grüße – „Café“, 5 €! Привет, мир. Καλημέρα κόσμε. 日本語の文です。 我们明天去。 안녕하세요 세계. שלום עולם. مرحبا بالعالم. नमस्ते दुनिया. สวัสดีชาวโลก ".split(
    " ",
  );
const anyText = fc
  .array(fc.constantFrom(...SENTENCES), { minLength: 4, maxLength: 40 })
  .map((words) => words.join(" "));

test("a text in UTF-8 with a few stray zeros is not taken for UTF-16", () => {
  const places = fc.array(fc.nat(), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(anyText, places, fc.nat(1), (written, all, length) => {
      const signs = [...written, ...(length ? ["x"] : [])];
      const least = Math.max(1, Math.floor(signs.length / 8));
      for (const place of all.slice(0, least)) signs.splice(place % (signs.length + 1), 0, "\0");
      const stray = signs.join("");
      expect(decodeText(new TextEncoder().encode(stray))).toEqual({ text: stray, encoding: "UTF-8" });
    }),
  );
});

test("a text in UTF-16 without a mark is not taken for UTF-8", () => {
  fc.assert(
    fc.property(anyText, fc.boolean(), (written, isBig) => {
      const bytes = Buffer.from(written, "utf16le");
      expect(decodeText(new Uint8Array(isBig ? bytes.swap16() : bytes))).toEqual({
        text: written,
        encoding: isBig ? "UTF-16BE" : "UTF-16LE",
      });
    }),
  );
});

test("dates come in the forms that people write", () => {
  const cases: [unknown, string | undefined][] = [
    ["2024-02-29", "2024-02-29T00:00:00.000Z"],
    ["2023-02-29", undefined],
    ["2024/03/01", "2024-03-01T00:00:00.000Z"],
    ["2024-03-01 12:30", "2024-03-01T12:30:00.000Z"],
    ["2024-03-01T12:30:15+02:00", "2024-03-01T10:30:15.000Z"],
    ["2024-03-01 12:30:15 -0530", "2024-03-01T18:00:15.000Z"],
    ["2024-03-01T12:30:15.123Z", "2024-03-01T12:30:15.123Z"],
    ["2024-03-01 9:30", "2024-03-01T09:30:00.000Z"],
    ["2024-03-01 09:30:15 UTC", "2024-03-01T09:30:15.000Z"],
    ["2024-03-01T12:30:15+02", "2024-03-01T10:30:15.000Z"],
    ["2024-03-01T12:30:15.123456789+02:00", "2024-03-01T10:30:15.123Z"],
    ["2024-07-01T12:30 Europe/Berlin", "2024-07-01T10:30:00.000Z"],
    ["2024-07-01T12:30[Europe/Berlin]", "2024-07-01T10:30:00.000Z"],
    ["2024-07-01T12:30+02:00[Europe/Berlin]", "2024-07-01T10:30:00.000Z"],
    ["2024-07-01 12:30 Middle/Earth", undefined],
    ["2024-07-01 12:30 PM", undefined],
    ["2024-13-01", undefined],
    ["2024-03-01T25:00", undefined],
    ["yesterday", undefined],
    [20240301, undefined],
    [{}, undefined],
  ];
  for (const [value, date] of cases) expect(readDate(value)?.toISOString(), String(value)).toBe(date);
});

test("times come from the front matter before the file, and are always valid", () => {
  const file = { birthtime: new Date("2025-01-01"), mtime: new Date("2025-06-01") };
  const read = (data: object) => {
    const notes: string[] = [];
    const { created_at, updated_at } = readTimes(data as Record<string, unknown>, file, notes);
    return [created_at?.toISOString().slice(0, 10), updated_at?.toISOString().slice(0, 10), notes.length];
  };
  expect(read({})).toEqual(["2025-01-01", "2025-06-01", 0]);
  expect(read({ date: "2020-01-01" })).toEqual(["2020-01-01", "2025-06-01", 0]);
  expect(read({ Created: "2020-01-01", "last-modified": "2021-01-01" })).toEqual([
    "2020-01-01",
    "2021-01-01",
    0,
  ]);
  expect(read({ updated: "2021-01-01" })).toEqual(["2021-01-01", "2021-01-01", 0]);
  expect(read({ created: "2020-01-01", modified: "2019-01-01" })).toEqual(["2020-01-01", "2020-01-01", 0]);
  expect(read({ date: "2999-01-01", created: "soon" })).toEqual(["2025-01-01", "2025-06-01", 2]);
  expect(read({ date: null, created: "" })).toEqual(["2025-01-01", "2025-06-01", 0]);
});

test("an address needs no scheme", () => {
  const cases = [
    ["localhost:8000", "http://localhost:8000"],
    ["127.0.0.1:8000/", "http://127.0.0.1:8000"],
    ["[::1]:8000", "http://[::1]:8000"],
    ["notes.example", "https://notes.example"],
    ["http://notes.example/", "http://notes.example"],
    [" https://notes.example:444 ", "https://notes.example:444"],
  ] as const;
  for (const [text, url] of cases) expect(normalizeApiUrl(text)).toBe(url);
  for (const text of ["", "ftp://notes.example", "http://", "a b"])
    expect(() => normalizeApiUrl(text)).toThrow("address");
});

test("a title is cut to what the service accepts, and never within a character", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 480, maxLength: 520 }), (text) => {
      const { title, notes } = fitTitle(text);
      expect(title.length).toBeLessThanOrEqual(500);
      expect(title.isWellFormed()).toBe(true);
      expect(notes.length).toBe(text.length > 500 ? 1 : 0);
    }),
  );
});

test("requests hold at most 100 operations and stay below 1 MiB", () => {
  const operations = Array.from({ length: 400 }, (_, n) => ({
    where: String(n),
    body: { operation: "create" as const, title: "ä".repeat((n * 7919) % 20_000) },
  }));
  const groups = [...operationGroups(operations)];
  expect(groups.flat()).toEqual(operations);
  for (const group of groups) {
    expect(group.length).toBeLessThanOrEqual(100);
    const body = JSON.stringify({ operations: group.map(({ body }) => body) });
    expect(Buffer.byteLength(body)).toBeLessThan(1024 * 1024);
  }
});

test("front matter is split off only where it is front matter", () => {
  const cases: [string, object, string][] = [
    ["---\ntitle: A\n---\nbody", { title: "A" }, "body"],
    ["---\r\ntitle: A\r\n---\r\nbody", { title: "A" }, "body"],
    ["---\n---\nbody", {}, "body"],
    ["---\ntitle: A\n---", { title: "A" }, ""],
    ["---\ndate: 2026-11-20\n---\n", { date: "2026-11-20" }, ""],
    ["---\n---\nbody\n\n---\n", {}, "body\n\n---\n"],
    ["---\ntitle: A\n...\nbody", { title: "A" }, "body"],
    ['+++\ntitle = "A"\n+++\nbody', { title: "A" }, "body"],
  ];
  for (const [source, data, body] of cases) {
    const read = splitFrontMatter(source);
    expect([read?.front.fields, read?.body]).toEqual([data, body]);
  }
  const others = [
    "---\nonly prose\n---\nbody",
    "---\nProse of a letter,\nof two lines.\n---\nbody",
    "---\n- a list\n- of two\n---\nbody",
    "text\n---\ntitle: A\n---\n",
    "---\ntitle: never closed",
    "--- \n\ntext",
    "+++\nnever closed",
    "",
  ];
  for (const source of others) expect(splitFrontMatter(source), source).toBeUndefined();
  const unclear = [
    "---\nProse of a letter,\nwith a line: that has a colon\nbetween two rules.\n---\nbody",
    "---\na line: with a colon\nand prose\nand more\nof it\n---\nbody",
    "+++\nno TOML\n+++\nbody",
  ];
  for (const source of unclear) expect(() => splitFrontMatter(source), source).toThrow("in the text");
});

test("tags come from a list or from a text", () => {
  expect(parseTags(["a", 2026, null, " b ", "#c"])).toEqual(["a", "2026", "b", "c"]);
  expect(parseTags("a, b c,,#d")).toEqual(["a", "b c", "d"]);
  expect(parseTags("a b/c  #d")).toEqual(["a", "b/c", "d"]);
  expect(parseTags(undefined)).toEqual([]);
  expect(parseTags(null)).toEqual([]);
});

test("the importer keeps exactly the tags that the service takes", () => {
  const tag = fc.oneof(
    fc.string({ maxLength: 70 }),
    fc.constantFrom(".", "..", " ", "\u0000", "\ud800", "a".repeat(64), "a".repeat(65), ` ${"a".repeat(64)}`),
  );
  fc.assert(fc.property(tag, (text) => isTag(text) === Tag.safeParse(text).success));
});

test("digests are SHA-256 of UTF-8, whatever computes them", () => {
  const node = (text: string) => createHash("sha256").update(text).digest("hex");
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => hexDigest(text) === node(text)));
});

test("paths are taken apart as Node does", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a.][a./]{0,8}[a.]$/), (path) => {
      fc.pre(!path.endsWith("/") && !path.includes(".."));
      expect([basename(path), extname(path)]).toEqual([posix.basename(path), posix.extname(path)]);
      expect(stem(path)).toBe(posix.parse(path).name);
    }),
  );
});

test("a file without known times has those of its front matter, or none", () => {
  expect(readTimes({}, undefined, [])).toEqual({ created_at: undefined, updated_at: undefined });
  const modified = new Date("2020-01-02");
  expect(readTimes({ modified: "2020-01-02" }, undefined, [])).toEqual({
    created_at: modified,
    updated_at: modified,
  });
});

test("the first heading is outside code blocks and without its # signs", () => {
  const cases: [string, string | undefined][] = [
    ["text\n\n## Second level ##\n# First", "Second level"],
    ["```sh\n# a comment\n```\n# Title", "Title"],
    ["~~~\n# never closed", undefined],
    ["#no space\n#\n", undefined],
    ["# With # inside\r\n", "With # inside"],
    ["# C#", "C#"],
    ["Underlined\ntitle\n====\n# Second", "Underlined title"],
    // A regular expression took minutes for a few thousand of these characters.
    [`# a${" ".repeat(1_000_000)}b`, "a b"],
    // Of a heading, only the beginning is read: a title has 500 characters at most.
    [`# a${"#".repeat(1_000_000)} b #`, `a${"#".repeat(3999)}`],
    ["", undefined],
  ];
  for (const [source, heading] of cases) expect(firstHeading(source), source.slice(0, 40)).toBe(heading);
});

test("the first words make a title", () => {
  expect(firstWords("  one\n two ")).toBe("one two");
  expect(firstWords("word ".repeat(40))).toBe(`${"word ".repeat(16).trim()}…`);
  expect(firstWords("x".repeat(200))).toBe(`${"x".repeat(80)}…`);
  expect(firstWords("😀".repeat(100)).isWellFormed()).toBe(true);
  expect(firstWords("")).toBe("");
});

test("Retry-After is seconds or a date", () => {
  expect(parseRetryAfter("3")).toBe(3000);
  expect(parseRetryAfter("Fri, 20 Nov 2026 09:30:10 GMT", Date.parse("2026-11-20T09:30:00Z"))).toBe(10_000);
  expect(parseRetryAfter(null)).toBeUndefined();
  expect(parseRetryAfter("soon")).toBeUndefined();
});

test("what else a JSON line has is kept beside its text", async () => {
  const lines: [line: object, content: object][] = [
    [{ text: "a" }, { format: "markdown", text: "a" }],
    [
      { id: 7, text: "a", due_date: "2026-12-24T17:00", attachments: ["x.pdf"] },
      { format: "markdown", text: "a", id: 7, due_date: "2026-12-24T17:00", attachments: ["x.pdf"] },
    ],
    [
      { content: { text: "a", x: 1 }, x: 2, zone: "CET" },
      { text: "a", x: 1, zone: "CET" },
    ],
    [
      { text: "a", content: "b" },
      { format: "markdown", text: "a", content: "b" },
    ],
    [
      { text: "a", content: { x: 1 } },
      { format: "markdown", text: "a", x: 1 },
    ],
    [{ text: null, content: { x: 1 }, title: "T" }, { x: 1 }],
  ];
  const bytes = new TextEncoder().encode(lines.map(([line]) => `${JSON.stringify(line)}\n`).join(""));
  const found = [];
  const file = { source: "x.jsonl", chunks: new Response(bytes).body as AsyncIterable<Uint8Array> };
  for await (const one of readJsonLines(file, { folders: [], tags: [] })) found.push(one);
  expect(found.map((one) => ("content" in one ? one.content : one))).toEqual(
    lines.map(([, content]) => content),
  );
});

test("front matter and tables of a megabyte are read, whatever they repeat", () => {
  const many = 400_000;
  for (const lines of ["\n", "#\n"])
    expect(readNoteText(`---\n${lines.repeat(many)}a: b\n---\nc`, "a.md", []).content).toMatchObject({
      ...{ text: "c", front_matter: { a: "b" } },
    });
  const tagged = readNoteText(`---\ntags: ${"a, ".repeat(many)}\n---\nc`, "a.md", []);
  expect(tagged.tags).toEqual(["a"]);
  expect(readCsv(`${"a,".repeat(many)}\n1\n`).names).toHaveLength(many + 1);
});
