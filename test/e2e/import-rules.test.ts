import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { retryAfter } from "../../scripts/common/client.ts";
import { readFolder } from "../../scripts/import/files.ts";
import { readDate, timesOf } from "../../src/contract/import/dates.ts";
import { FolderTree } from "../../src/contract/import/folders.ts";
import { type Imported, markOf, oldMarkOf } from "../../src/contract/import/imported.ts";
import {
  digest,
  type Found,
  fitTitle,
  type Item,
  prose,
  type Target,
} from "../../src/contract/import/item.ts";
import { firstWords } from "../../src/contract/import/json-lines.ts";
import { firstHeading, splitFrontMatter, tagsOf } from "../../src/contract/import/markdown.ts";
import { basename, extname, stem } from "../../src/contract/import/paths.ts";
import { type Plan, planImport } from "../../src/contract/import/plan.ts";
import { groupsOf } from "../../src/contract/import/write.ts";
import { apiUrl } from "../../scripts/import/url.ts";
import { Tag } from "../../src/contract/document.ts";
import { isTag } from "../../src/contract/tag-rule.ts";

// The rules of the importer, without a service.

const NOW = "2026-01-01T00:00:00.000Z";

type Files = Record<string, string>;
type Place = { id: string; name: string; parent_id: string | null };

/** An account that carries out plans. */
class Account {
  documents: (Imported & { text: string; path: string })[] = [];
  folders: Place[] = [];
  private next = 0;

  tree = () =>
    new FolderTree(
      this.folders.map((folder) => ({
        ...folder,
        document_count: this.documents.filter(({ folder_id }) => folder_id === folder.id).length,
        created_at: NOW,
        updated_at: NOW,
      })),
    );

  ensure(names: string[]): string | null {
    let parent: string | null = null;
    for (const name of names) {
      let folder = this.folders.find((one) => one.name === name && one.parent_id === parent);
      if (!folder) {
        folder = { id: `f${++this.next}`, name, parent_id: parent };
        this.folders.push(folder);
      }
      parent = folder.id;
    }
    return parent;
  }

  private write(step: Plan["steps"][number]): void {
    const { item } = step;
    const before = "document" in step ? step.document : undefined;
    const version = (before?.version ?? 0) + 1;
    const document = {
      id: before?.id ?? `d${++this.next}`,
      version,
      title: item.title,
      tags: item.tags,
      folder_id: this.ensure(item.folders),
      mark: markOf(item, version),
      text: String(item.content.text),
      path: item.path,
    };
    this.documents = [...this.documents.filter(({ id }) => id !== document.id), document];
  }

  /** Carries out a plan, or the first `most` of its changes. Returns how many documents were written. */
  carryOut({ renames, steps, trash, empty }: Plan, most = Number.POSITIVE_INFINITY): number {
    const writes = steps.flatMap((step) => (step.kind === "skip" ? [] : [step]));
    const changes = [
      ...renames.map(({ id, to }) => () => {
        const parent_id = this.ensure(to.slice(0, -1));
        Object.assign(this.folders.find((one) => one.id === id) ?? {}, { name: to.at(-1), parent_id });
      }),
      ...writes.map((step) => () => this.write(step)),
      ...trash.map(({ id }) => () => {
        this.documents = this.documents.filter((document) => document.id !== id);
      }),
      ...empty.map(({ id }) => () => {
        this.folders = this.folders.filter((one) => one.id !== id);
      }),
    ];
    for (const change of changes.slice(0, most)) change();
    return writes.length;
  }

  /** Paths and texts, as a disk would have them. */
  files(): Files {
    const tree = this.tree();
    return Object.fromEntries(
      this.documents.map(({ folder_id, title, text }) => [
        [...tree.pathOf(folder_id), title].join("/"),
        text,
      ]),
    );
  }
}

const itemOf = (path: string, text: string, target: Target, source = "/disk"): Item => {
  const names = path.split("/");
  return {
    where: path,
    source,
    path,
    name: names.at(-1) ?? "",
    title: names.at(-1) ?? "",
    content: prose(text),
    tags: target.tags,
    folders: [...target.folders, ...names.slice(0, -1)],
    notes: [],
  };
};

const TARGET: Target = { folders: ["Notes"], tags: [] };
const itemsOf = (files: Files, target = TARGET, source = "/disk"): Found[] =>
  Object.entries(files).map(([path, text]) => itemOf(path, text, target, source));

const planFor = (
  account: Account,
  files: Found[],
  more: { mirror?: boolean; source?: string; target?: Target } = {},
) =>
  planImport(
    files,
    {
      imported: account.documents.map(({ text: _, path: __, ...document }) => document),
      tree: account.tree(),
    },
    { target: more.target ?? TARGET, source: more.source ?? "/disk", mirror: more.mirror ?? true },
  );

const kinds = ({ steps }: Plan) => steps.map(({ kind }) => kind).filter((kind) => kind !== "skip");
const isIdle = (plan: Plan) =>
  kinds(plan).length + plan.trash.length + plan.renames.length + plan.empty.length === 0;
const below = (files: Files, folder = "Notes") =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]));

describe("a mirror", () => {
  const name = fc.constantFrom("a", "b", "c");
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => `${names.join("/")}.md`);
  const disk = fc.dictionary(path, fc.constantFrom("", "one", "two", "three"), { minKeys: 1, maxKeys: 8 });

  test("makes the account equal to the disk, from any state and after any interruption, and then has nothing to do", () => {
    fc.assert(
      fc.property(fc.array(disk, { minLength: 1, maxLength: 4 }), fc.nat(12), (disks, most) => {
        const account = new Account();
        for (const files of disks) {
          account.carryOut(planFor(account, itemsOf(files)), most);
          const plan = planFor(account, itemsOf(files));
          account.carryOut(plan);
          const again = planFor(account, itemsOf(files));
          expect(account.files()).toEqual(below(files));
          expect(isIdle(again)).toBe(true);
          expect(new Set(account.documents.map(({ id }) => id)).size).toBe(Object.keys(files).length);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("never deletes what it did not write, or what belongs to another folder", () => {
    fc.assert(
      fc.property(disk, disk, disk, (mine, others, next) => {
        const account = new Account();
        const other = { folders: ["Others"], tags: [] };
        account.carryOut(
          planFor(account, itemsOf(others, other, "/others"), { source: "/others", target: other }),
        );
        account.carryOut(planFor(account, itemsOf(mine)));
        account.carryOut(planFor(account, itemsOf(next)));
        expect(account.files()).toEqual({ ...below(others, "Others"), ...below(next) });
      }),
    );
  });

  test("a moved file keeps its document, and a renamed folder needs no write", () => {
    const account = new Account();
    account.carryOut(
      planFor(account, itemsOf({ "x/a.md": "one", "x/b.md": "two", "x/y/c.md": "three", "d.md": "four" })),
    );
    const ids = account.documents.map(({ id, text }) => `${text} ${id}`).sort();
    const renamed = { "z/a.md": "one", "z/b.md": "two", "z/y/c.md": "three", "d.md": "four" };
    const plan = planFor(account, itemsOf(renamed));
    expect(plan.renames.map(({ to }) => to)).toEqual([["Notes", "z"]]);
    expect(account.carryOut(plan)).toBe(0);
    expect(account.files()).toEqual(below(renamed));
    const moved = { ...renamed, "z/y/d.md": "four" } as Files;
    delete moved["d.md"];
    const second = planFor(account, itemsOf(moved));
    expect([kinds(second), second.trash]).toEqual([["moved"], []]);
    account.carryOut(second);
    // A file that changes after its folder was renamed is still the same.
    const third = planFor(account, itemsOf({ ...moved, "z/a.md": "one, changed" }));
    expect([kinds(third), third.trash]).toEqual([["update"], []]);
    expect(account.documents.map(({ id, text }) => `${text} ${id}`).sort()).toEqual(ids);
  });

  test("the whole folder may have another name on the disk", () => {
    const account = new Account();
    account.carryOut(planFor(account, itemsOf({ "a.md": "one", "b/c.md": "two" })));
    const files = itemsOf({ "a.md": "one, changed", "b/c.md": "two" }, TARGET, "/elsewhere");
    const plan = planFor(account, files, { source: "/elsewhere" });
    expect([kinds(plan), plan.trash]).toEqual([["update"], []]);
  });

  test("reverts what was changed in the account; an import keeps it", () => {
    const account = new Account();
    const files = itemsOf({ "a.md": "one" });
    account.carryOut(planFor(account, files));
    for (const document of account.documents) document.version++;
    expect(isIdle(planFor(account, files, { mirror: false }))).toBe(true);
    expect(kinds(planFor(account, files))).toEqual(["edited"]);
  });

  test("keeps the document of a file that cannot be read, wherever it was imported from", () => {
    for (const source of ["/disk", "/elsewhere"]) {
      const account = new Account();
      account.carryOut(planFor(account, itemsOf({ "x/a.md": "one", "b.md": "one" })));
      const found = [
        ...itemsOf({ "b.md": "one" }, TARGET, source),
        { where: "x/a.md", path: "x/a.md", why: "is not UTF-8" },
      ];
      expect(planFor(account, found, { source }).trash).toEqual([]);
    }
  });
});

describe("an import without --mirror", () => {
  test("deletes nothing except what a killed import wrote twice", () => {
    const account = new Account();
    const files = itemsOf({ "a.md": "one", "b.md": "two" });
    account.carryOut(planFor(account, files, { mirror: false }));
    const [first] = account.documents;
    if (first) account.documents.push({ ...first, id: "twin" });
    const plan = planFor(account, itemsOf({ "a.md": "one" }), { mirror: false });
    expect(plan.trash.map(({ id }) => id)).toEqual(["twin"]);
    account.carryOut(plan);
    expect(account.documents).toHaveLength(2);
  });

  test("recognizes what earlier releases wrote", () => {
    const account = new Account();
    const item = itemOf("x/a.md", "one", TARGET);
    account.documents = [
      {
        id: "old",
        version: 3,
        title: "a.md",
        tags: [],
        folder_id: null,
        mark: oldMarkOf(item),
        text: "one",
        path: "",
      },
    ];
    expect(isIdle(planFor(account, [item], { mirror: false }))).toBe(true);
    expect(kinds(planFor(account, [itemOf("x/a.md", "two", TARGET)], { mirror: false }))).toEqual(["update"]);
    const elsewhere = planFor(account, [itemOf("x/a.md", "one", TARGET, "/elsewhere")], {
      mirror: false,
      source: "/elsewhere",
    });
    expect(kinds(elsewhere)).toEqual(["update"]);
  });
});

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
    const found: Found[] = [];
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
      ["e.pdf", "not a text (.pdf)"],
      ["f", "not a text (no extension)"],
      ["link.md", "a symbolic link"],
      ["sub/.git", "hidden"],
    ]);
  } finally {
    await rm(root, { recursive: true });
  }
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
    [new Date("2024-03-01T00:00:00Z"), "2024-03-01T00:00:00.000Z"],
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
    const { created_at, updated_at } = timesOf(data as Record<string, unknown>, file, notes);
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
  for (const [text, url] of cases) expect(apiUrl(text)).toBe(url);
  for (const text of ["", "ftp://notes.example", "http://", "a b"])
    expect(() => apiUrl(text)).toThrow("address");
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
  const groups = [...groupsOf(operations)];
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
    ["---\nonly prose\n---\nbody", {}, "---\nonly prose\n---\nbody"],
    ["text\n---\ntitle: A\n---\n", {}, "text\n---\ntitle: A\n---\n"],
    ["---\ntitle: never closed", {}, "---\ntitle: never closed"],
    ["", {}, ""],
  ];
  for (const [source, data, body] of cases) expect(splitFrontMatter(source)).toEqual({ data, body });
});

test("tags come from a list or from a text", () => {
  expect(tagsOf(["a", 2026, null, " b ", "#c"])).toEqual(["a", "2026", "b", "c"]);
  expect(tagsOf("a, b c,,#d")).toEqual(["a", "b c", "d"]);
  expect(tagsOf(undefined)).toEqual([]);
  expect(tagsOf(null)).toEqual([]);
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
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => digest(text) === node(text)));
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
  expect(timesOf({}, undefined, [])).toEqual({ created_at: undefined, updated_at: undefined });
  const modified = new Date("2020-01-02");
  expect(timesOf({ modified: "2020-01-02" }, undefined, [])).toEqual({
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
    [`# a${"#".repeat(1_000_000)} b #`, `a${"#".repeat(1_000_000)} b`],
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
  expect(retryAfter("3")).toBe(3000);
  expect(retryAfter("Fri, 20 Nov 2026 09:30:10 GMT", Date.parse("2026-11-20T09:30:00Z"))).toBe(10_000);
  expect(retryAfter(null)).toBeUndefined();
  expect(retryAfter("soon")).toBeUndefined();
});
