import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FolderTree } from "../../src/shared/import/folders.ts";
import {
  createImportMark,
  createOldImportMark,
  type ImportedDocument,
} from "../../src/shared/import/imported.ts";
import {
  type FoundEntry,
  type ImportItem,
  type ImportTarget,
  shortDigest,
  textContent,
} from "../../src/shared/import/item.ts";
import { type ImportPlan, planImport } from "../../src/shared/import/plan.ts";

// The rules of the importer, without a service.

const NOW = "2026-01-01T00:00:00.000Z";

type Files = Record<string, string>;
type Place = { id: string; name: string; parent_id: string | null };

/** An account that carries out plans. */
class Account {
  documents: (ImportedDocument & { text: string; path: string })[] = [];
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

  private write(step: ImportPlan["steps"][number]): void {
    const { item } = step;
    const before = "document" in step ? step.document : undefined;
    const version = (before?.version ?? 0) + 1;
    const document = {
      id: before?.id ?? `d${++this.next}`,
      version,
      title: item.title,
      tags: item.tags,
      folder_id: this.ensure(item.folders),
      mark: createImportMark(item, version),
      text: String(item.content.text),
      path: item.path,
    };
    this.documents = [...this.documents.filter(({ id }) => id !== document.id), document];
  }

  /** Carries out a plan, or the first `most` of its changes. Returns how many documents were written. */
  carryOut({ renames, steps, trash, empty }: ImportPlan, most = Number.POSITIVE_INFINITY): number {
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

const itemOf = (path: string, text: string, target: ImportTarget, source = "/disk"): ImportItem => {
  const names = path.split("/");
  return {
    where: path,
    source,
    path,
    name: names.at(-1) ?? "",
    title: names.at(-1) ?? "",
    content: textContent(text),
    tags: target.tags,
    folders: [...target.folders, ...names.slice(0, -1)],
    notes: [],
  };
};

const TARGET: ImportTarget = { folders: ["Notes"], tags: [] };
const itemsOf = (files: Files, target = TARGET, source = "/disk"): FoundEntry[] =>
  Object.entries(files).map(([path, text]) => itemOf(path, text, target, source));

const planFor = (
  account: Account,
  files: FoundEntry[],
  more: { mirror?: boolean; source?: string; target?: ImportTarget } = {},
) =>
  planImport(
    files,
    {
      imported: account.documents.map(({ text: _, path: __, ...document }) => document),
      tree: account.tree(),
    },
    { target: more.target ?? TARGET, source: more.source ?? "/disk", mirror: more.mirror ?? true },
  );

const kinds = ({ steps }: ImportPlan) => steps.map(({ kind }) => kind).filter((kind) => kind !== "skip");
const isIdle = (plan: ImportPlan) =>
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

  test.each([
    ["from a Mac, then from another system", "NFD", "NFC"],
    ["the other way round", "NFC", "NFD"],
  ] as const)("knows a file again whose path is encoded otherwise: %s", (_, first, then) => {
    const path = "Café/Für Zoë.md";
    const account = new Account();
    account.carryOut(planFor(account, itemsOf({ [path.normalize(first)]: "one" })));
    expect(account.files()).toEqual(below({ [path]: "one" }));
    expect(isIdle(planFor(account, itemsOf({ [path.normalize(then)]: "one" })))).toBe(true);
    const changed = planFor(account, itemsOf({ [path.normalize(then)]: "two" }));
    expect([kinds(changed), changed.trash, changed.renames]).toEqual([["update"], [], []]);
    account.carryOut(changed);
    expect(account.files()).toEqual(below({ [path]: "two" }));
  });

  test("knows a file again that an earlier release imported from a Mac", () => {
    const path = "Café/Für Zoë.md".normalize("NFD");
    const account = new Account();
    account.carryOut(planFor(account, itemsOf({ [path]: "one" })));
    for (const { mark } of account.documents)
      Object.assign(mark, { origin: shortDigest(path), name: shortDigest("Für Zoë.md".normalize("NFD")) });
    const plan = planFor(account, itemsOf({ [path]: "two" }), { mirror: false });
    expect([kinds(plan), plan.trash]).toEqual([["update"], []]);
  });

  test.each(["NFC", "NFD"] as const)(
    "deletes what it wrote with a tag that an earlier release stored in %s",
    (form) => {
      const named = { folders: [], tags: ["Müller"] };
      const account = new Account();
      account.carryOut(planFor(account, itemsOf({ "a.md": "one", "b.md": "two" }, named), { target: named }));
      for (const document of account.documents)
        document.tags = document.tags.map((tag) => tag.normalize(form));
      for (const asked of ["NFC", "NFD"] as const) {
        const target = { folders: [], tags: named.tags.map((tag) => tag.normalize(asked)) };
        const plan = planFor(account, itemsOf({ "a.md": "one" }, target), { target });
        expect(plan.trash.map(({ title }) => title)).toEqual(["b.md"]);
        const other = { folders: [], tags: ["Muller"] };
        expect(
          planFor(account, itemsOf({ "c.md": "one" }, other, "/other"), { target: other, source: "/other" })
            .trash,
        ).toEqual([]);
      }
    },
  );

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
    const account = new Account();
    account.carryOut(planFor(account, itemsOf({ "x/a.md": "one", "b.md": "one" })));
    const unread = { where: "x/a.md", path: "x/a.md", why: "is not UTF-8" };
    const found = [...itemsOf({ "b.md": "one" }, TARGET, "/elsewhere"), unread];
    expect(planFor(account, found, { source: "/elsewhere" }).trash).toEqual([]);
  });
});

describe("an import without --mirror", () => {
  const note = (more: Partial<ImportItem>): ImportItem[] =>
    itemsOf({ "a.md": "one" }).map((item) => ({ ...(item as ImportItem), ...more }));
  const plain = (found: ImportItem[], account: Account) => planFor(account, found, { mirror: false });

  test("updates a note whose front matter is written in another way, but not because earlier releases did not keep it", () => {
    const account = new Account();
    const as = (front_matter_source: string) =>
      note({ content: { ...textContent("one"), front_matter_source } });
    account.carryOut(plain(note({}), account));
    expect(isIdle(plain(as("---\na: 1\n---\n"), account))).toBe(true);
    const other = new Account();
    other.carryOut(plain(as("---\na: 1\n---\n"), other));
    expect(isIdle(plain(as("---\na: 1\n---\n"), other))).toBe(true);
    expect(kinds(plain(as("---\na: 1 # one\n---\n"), other))).toEqual(["update"]);
  });

  test("calls notes of Obsidian what their files are called, and keeps what was changed in the account since", () => {
    for (const isChanged of [false, true]) {
      const account = new Account();
      account.carryOut(plain(note({ title: "Heading" }), account));
      if (isChanged) for (const document of account.documents) document.version++;
      const plan = plain(note({ title: "a", heading: "Heading" }), account);
      expect(isIdle(plan)).toBe(isChanged);
      expect(kinds(plan)).toEqual(isChanged ? [] : ["update"]);
    }
  });

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
    const old = { id: "old", version: 3, title: "a.md", tags: [], folder_id: null, text: "one", path: "" };
    account.documents = [{ ...old, mark: createOldImportMark(item) }];
    expect(isIdle(plain([item], account))).toBe(true);
    expect(kinds(plain([itemOf("x/a.md", "two", TARGET)], account))).toEqual(["update"]);
    const elsewhere = [itemOf("x/a.md", "one", TARGET, "/elsewhere")];
    expect(kinds(planFor(account, elsewhere, { mirror: false, source: "/elsewhere" }))).toEqual(["update"]);
  });
});
