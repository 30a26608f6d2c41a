import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { parseRetryAfter } from "../../scripts/common/retry.ts";
import { normalizeApiUrl } from "../../scripts/import/account.ts";
import { readFolder } from "../../scripts/import/files.ts";
import { Tag } from "../../src/contract/document.ts";
import { isTag } from "../../src/contract/tag-rule.ts";
import { splitFrontMatter } from "../../src/shared/files/front-matter.ts";
import { readDate, readTimes } from "../../src/shared/import/dates.ts";
import { type FoundEntry, hexDigest } from "../../src/shared/import/item.ts";
import { firstWords, readJsonLines } from "../../src/shared/import/json-lines.ts";
import { firstHeading, readNoteText } from "../../src/shared/import/markdown.ts";
import { isDailyNote, withVaultTitles } from "../../src/shared/import/obsidian.ts";
import { basename, extname, stem } from "../../src/shared/import/paths.ts";
import { readCsv } from "../../src/shared/import/records/csv.ts";
import { operationGroups } from "../../src/shared/import/write.ts";

// What the importer reads in a folder, a file and its options. Without a service.

/** Writes files into a new folder; reads it as the importer does. */
async function folderOf(files: Record<string, string>) {
  const root = await mkdtemp(join(tmpdir(), "commonplace-"));
  onTestFinished(() => rm(root, { recursive: true }));
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  };
  for (const [path, text] of Object.entries(files)) await write(path, text);
  const read = async () => {
    const found: FoundEntry[] = [];
    for await (const one of readFolder(root, { folders: [], tags: [] })) found.push(one);
    return found;
  };
  return { root, write, read };
}

test("a folder yields its texts, and reports what it skips", async () => {
  const paths = ["a.md", "b.MDX", "c.markdown", "sub/d.txt", "e.pdf", "f", ".hidden.md", "sub/.git/x.md"];
  const { root, read } = await folderOf(
    Object.fromEntries(paths.map((path) => [path, `# Heading of ${path}`])),
  );
  await symlink(join(root, "a.md"), join(root, "link.md"));
  const found = await read();
  expect(
    found.flatMap((one) => ("title" in one ? [[one.where, one.title, one.content.format]] : [])),
  ).toEqual([
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
});

test("a note of Obsidian is called what its file is called, and its heading stays in its text", async () => {
  const { write, read } = await folderOf({
    "2026-11-20.md": "# Friday",
    "vault/rome.md": "# Rome",
    "vault/oslo.md": "---\ntitle: Oslo\n---\n# Fjord",
    "other.md": "# Other",
  });
  const titlesIn = async () =>
    withVaultTitles(await read()).flatMap((one) =>
      "title" in one ? [[one.where, one.title, one.content.text]] : [],
    );
  const others = [
    ["2026-11-20.md", "2026-11-20", "# Friday"],
    ["other.md", "Other", "# Other"],
    ["vault/oslo.md", "Oslo", "# Fjord"],
  ];
  expect(await titlesIn()).toEqual([...others, ["vault/rome.md", "Rome", "# Rome"]]);
  await write("vault/.obsidian/app.json", "{}");
  expect(await titlesIn()).toEqual([...others, ["vault/rome.md", "rome", "# Rome"]]);
  await write(".obsidian/app.json", "{}");
  expect((await titlesIn()).map(([, title]) => title)).toEqual(["2026-11-20", "other", "Oslo", "rome"]);
  // No heading that is too long for a title was cut for one.
  await write("long.md", `# ${"x".repeat(501)}`);
  const notes = withVaultTitles(await read()).flatMap((one) => ("notes" in one ? one.notes : []));
  expect(notes).toEqual([]);
});

test("the names of daily notes are dates", () => {
  const daily = ["2026-11-20", "2026-11", "2026-W47", "2026-Q4", "2026-11-20 Friday", "2026-11-20, Fr."];
  const others = ["2026-11-20-a-post", "2026", "2026-11-20 Notes on Rome", "20 November", "2026-1-2", ""];
  expect(daily.filter((name) => !isDailyNote(name))).toEqual([]);
  expect(others.filter(isDailyNote)).toEqual([]);
});

test("dates come in the forms that people write", () => {
  const cases: [unknown, string][] = [
    ["2024-02-29", "2024-02-29T00:00:00.000Z"],
    ["2024/03/01", "2024-03-01T00:00:00.000Z"],
    ["2024-03-01 9:30", "2024-03-01T09:30:00.000Z"],
    ["2024-03-01T12:30:15+02:00", "2024-03-01T10:30:15.000Z"],
    ["2024-03-01 12:30:15 -0530", "2024-03-01T18:00:15.000Z"],
    ["2024-03-01 09:30:15 UTC", "2024-03-01T09:30:15.000Z"],
    ["2024-03-01T12:30:15+02", "2024-03-01T10:30:15.000Z"],
    ["2024-03-01T12:30:15.123456789Z", "2024-03-01T12:30:15.123Z"],
    ["2024-07-01T12:30 Europe/Berlin", "2024-07-01T10:30:00.000Z"],
    ["2024-07-01T12:30+02:00[Europe/Berlin]", "2024-07-01T10:30:00.000Z"],
  ];
  for (const [value, date] of cases) expect(readDate(value)?.toISOString(), String(value)).toBe(date);
  const others = ["2023-02-29", "2024-13-01", "2024-03-01T25:00", "2024-07-01 12:30 Middle/Earth"];
  for (const value of [...others, "2024-07-01 12:30 PM", "yesterday", 20240301, {}])
    expect(readDate(value), String(value)).toBeUndefined();
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
  const both = { Created: "2020-01-01", "last-modified": "2021-01-01" };
  expect(read(both)).toEqual(["2020-01-01", "2021-01-01", 0]);
  expect(read({ updated: "2021-01-01" })).toEqual(["2021-01-01", "2021-01-01", 0]);
  expect(read({ created: "2020-01-01", modified: "2019-01-01" })).toEqual(["2020-01-01", "2020-01-01", 0]);
  expect(read({ date: "2999-01-01", created: "soon" })).toEqual(["2025-01-01", "2025-06-01", 2]);
  expect(read({ date: null, created: "" })).toEqual(["2025-01-01", "2025-06-01", 0]);
  expect(readTimes({}, undefined, [])).toEqual({ created_at: undefined, updated_at: undefined });
  const modified = new Date("2020-01-02");
  expect(readTimes({ modified: "2020-01-02" }, undefined, [])).toEqual({
    created_at: modified,
    updated_at: modified,
  });
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
