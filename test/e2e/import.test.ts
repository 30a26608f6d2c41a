import { mkdir, rename, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { DocumentList } from "../../src/contract/document.ts";
import type { FolderList } from "../../src/contract/folder.ts";
import { documentResults, type SearchAnswer } from "../../src/contract/search.ts";
import {
  files,
  get,
  importing,
  lines,
  listDocuments,
  listFolders,
  readDocument,
  restart,
  runImport,
  send,
  startImport,
  titles,
  writeFiles,
} from "./importer.ts";
import { nightly } from "./nightly.ts";
import { until } from "./service.ts";

importing();

describe("a folder of Markdown", () => {
  const NOTES = {
    "notes/packing.md":
      "---\ntitle: Packing list\ntags: [travel, lists]\nauthor: Ada\n---\n# Things\n\npassport\n",
    "notes/trips/rome.md": "# Rome in spring\n\nColosseum\n",
    "notes/trips/2027/plan.markdown": "No heading, only words.\n",
    "notes/.hidden/cache.md": "# Not a note\n",
    "notes/picture.png": "not Markdown",
  };

  test("a changed file changes its document, a new or deleted one is created, and folders are reused", async () => {
    const root = join(await writeFiles(NOTES), "notes");
    await runImport(root);
    const before = await readDocument("Rome in spring");
    await writeFiles({
      "notes/trips/rome.md": "# Rome in autumn\n\nPantheon\n",
      "notes/trips/oslo.md": "# Oslo\n",
    });
    await send("DELETE", `/api/documents/${(await readDocument("plan")).id}`);
    expect((await runImport(root)).output).toContain("2 created, 1 updated, 1 skipped");
    const after = await readDocument("Rome in autumn");
    expect(after).toMatchObject({
      id: before.id,
      version: 2,
      content: { text: "# Rome in autumn\n\nPantheon\n" },
    });
    expect(await titles()).toEqual(["Oslo", "Packing list", "plan", "Rome in autumn"]);
    expect(await listFolders()).toEqual({ "/trips": 2, "/trips/2027": 1 });
  });

  test("times ahead of the service's clock become its current time", async () => {
    const root = await writeFiles({ "old.md": "---\ncreated: 2020-01-02\n---\nold\n" });
    const ahead = new Date(Date.now() + 3_600_000);
    await utimes(join(root, "old.md"), ahead, ahead);
    expect((await runImport(root)).output).toContain("1 created, 0 updated, 0 skipped, 0 refused");
    const { created_at, updated_at } = await readDocument("old");
    expect(created_at).toBe("2020-01-02T00:00:00.000Z");
    expect(Math.abs(Date.parse(updated_at) - Date.now())).toBeLessThan(60_000);
  });

  test("unreadable files are named, and the rest is imported", async () => {
    const root = await writeFiles({
      "good.md": "# Good\n",
      "sub/latin1.md": Buffer.from([0x23, 0x20, 0xe4, 0x0a]),
      "sub/image.md": Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x01]),
      "sub/yaml.md": "---\ntitle: [unclosed\n---\ntext\n",
      "large.md": "x".repeat(1_100_000),
      "quotes.md": '"'.repeat(600_000),
      "tag.md": `---\ntitle: Tagged\ntags: [${"t".repeat(65)}, good]\n---\n`,
      "long.md": `# ${"l".repeat(499)}😀\n`,
      "null.txt": "a\u0000b",
    });
    const { code, output } = await runImport(root);
    expect(code).toBe(1);
    expect(output).toContain("5 created, 0 updated, 0 skipped, 4 refused");
    for (const line of [
      "Note: sub/latin1.md: it is not UTF-8 and was read as Windows-1252",
      "Refused: sub/image.md: is not a text in UTF-8, UTF-16 or Windows-1252",
      "Note: sub/yaml.md: its front matter is not valid YAML, so",
      "Refused: large.md: is larger than 1 MiB",
      "Refused: quotes.md: is larger than 1 MiB",
      "Refused: null.txt: content: ",
      "Note: tag.md: 1 of its tags were skipped: longer than 64 characters",
      "Note: long.md: its title has 501 characters and was cut to 500",
    ])
      expect(output).toContain(line);
    expect(await titles()).toEqual(["[unclosed", "Good", "l".repeat(499), "Tagged", "ä"]);
    expect((await readDocument("Tagged")).tags).toEqual(["good"]);
    expect((await readDocument("[unclosed")).content).toMatchObject({
      ...{ text: "text\n", front_matter_source: "---\ntitle: [unclosed\n---\n" },
    });
  });
});

describe("a file of JSON lines", () => {
  test("is imported line by line, and an invalid line is named and skipped", async () => {
    await writeFiles({
      "texts.jsonl": [
        lines({ id: "a", title: "First", text: "one\u2028two", tags: ["x"] }),
        "{broken\n",
        lines({ id: "b", text: "no title but these words" }),
        "\n",
        lines({ id: "empty", title: "", text: "" }),
        lines({ content: { format: "markdown", text: "an object", extra: 1 } }),
        lines({ title: "Wrong tags", tags: "x" }),
        lines({ title: "A string", content: "plain" }),
        lines({ id: "a", title: "Another", text: "with the id of the first" }),
        lines({}),
        lines([1]),
        '{"title": "No line end"}',
      ].join(""),
    });
    const file = join(files.path, "texts.jsonl");
    const first = await runImport(file);
    expect(first.code).toBe(1);
    for (const line of [
      "6 created, 0 updated, 0 skipped, 5 refused",
      "Refused: line 2: is not JSON: ",
      "Refused: line 7: tags: ",
      "Refused: line 9: has the same id as line 1",
      "Refused: line 10: has no title, text or id",
      "Refused: line 11: ",
    ])
      expect(first.output).toContain(line);
    const found = ["A string", "an object", "empty", "First", "No line end", "no title but these words"];
    expect(await titles()).toEqual(found);
    expect(await readDocument("First")).toMatchObject({
      tags: ["x"],
      content: { text: "one\u2028two", id: "a" },
    });
    expect((await readDocument("an object")).content).toMatchObject({ text: "an object", extra: 1 });
    expect((await runImport(file)).output).toContain("0 created, 0 updated, 6 skipped, 5 refused");
  });

  nightly(
    "is imported exactly once, however often service and import are killed",
    async () => {
      const count = 600;
      const items = Array.from({ length: count }, (_, index) => ({
        id: index,
        title: `Document ${index}`,
        text: `the needle${index} of this haystack`,
      }));
      await writeFiles({ "texts.jsonl": lines(...items) });
      const file = join(files.path, "texts.jsonl");
      const total = async () => (await get<DocumentList>("/api/documents?limit=1")).total;
      const reached = (least: number) =>
        until(
          async () => (await total()) >= least,
          () => "Nothing was imported",
        );

      const killed = startImport(file, "--folder", "Haystack");
      await reached(count / 6);
      await restart(() => killed.signal("SIGKILL"));
      const afterKill = await total();
      expect(afterKill).toBeGreaterThanOrEqual(count / 6);
      expect(afterKill).toBeLessThan(count);

      // This one survives a restart: it waits until the service is back.
      const patient = startImport(file, "--folder", "Haystack");
      await reached(count / 2);
      await restart();
      const { code, output } = await patient.ended;
      expect(output).toContain("0 refused");
      expect(code, output).toBe(0);

      expect((await runImport(file, "--folder", "Haystack")).output).toContain(`${count} skipped`);
      expect((await titles()).toSorted()).toEqual(items.map(({ title }) => title).toSorted());
      expect(await listFolders()).toEqual({ "/Haystack": count });
      for (const { title, id } of items.filter((_, index) => index % 10 === 0)) {
        const found = await get<SearchAnswer>(`/api/search?q=needle${id}`);
        expect(documentResults(found).map(({ title }) => title)).toEqual([title]);
        expect(found.total).toBe(1);
      }
    },
    300_000,
  );
});

describe("a mirror", () => {
  const NOTES = {
    "notes/a.md": "---\ndate: 2019-05-01\nupdated: 2020-05-02\n---\n# Apple\n",
    "notes/b.txt": "pear\n",
    "notes/trips/rome.md": "# Rome\n",
    "notes/trips/oslo.md": "# Oslo\n",
  };
  const mirror = (...args: string[]) =>
    runImport(join(files.path, "notes"), "--folder", "Notes", "--mirror", ...args);

  test("shows the changes, asks, and then keeps the folder equal to the disk", async () => {
    await writeFiles(NOTES);
    const asked = await mirror();
    expect(asked.output).toContain("To create: 4");
    expect(asked.output).toContain("add --yes to make the changes");
    expect(asked.code).toBe(1);
    const looked = await mirror("--dry-run");
    expect(looked).toMatchObject({ code: 0, output: expect.stringContaining("Nothing was changed.") });
    expect([await titles(), await listFolders()]).toEqual([[], {}]);

    expect((await mirror("--yes")).output).toContain("4 created, 0 updated, 0 to the trash, 0 skipped");
    const before = await listDocuments();
    const found = await get<SearchAnswer>("/api/search?q=apple%20before:2020-06-01%20after:2020-05-01");
    expect(documentResults(found).map(({ title }) => title)).toEqual(["Apple"]);
    expect((await readDocument("Apple")).created_at).toBe("2019-05-01T00:00:00.000Z");
    expect(await mirror("--yes")).toEqual({
      code: 0,
      output:
        "0 created, 0 updated, 0 to the trash, 4 skipped, 0 refused\nSkipped: already there and unchanged.\n",
    });
    expect(await listDocuments()).toEqual(before);

    const root = join(files.path, "notes");
    await rename(join(root, "trips"), join(root, "journeys"));
    await mkdir(join(root, "fruit"));
    await rename(join(root, "a.md"), join(root, "fruit", "a.md"));
    await rm(join(root, "b.txt"));
    const changed = await mirror("--yes");
    expect(changed.output).toContain("/Notes/trips → /Notes/journeys");
    expect(changed.output).toContain("0 created, 1 updated, 1 to the trash, 2 skipped");
    const after = await listDocuments();
    expect(after.map(({ title, id }) => [title, id])).toEqual(
      before.filter(({ title }) => title !== "b").map(({ title, id }) => [title, id]),
    );
    expect(after.map(({ version }) => version)).toEqual([2, 1, 1]);
    expect(await listFolders()).toEqual({ "/Notes": 0, "/Notes/fruit": 1, "/Notes/journeys": 2 });
    expect((await get<{ total: number }>("/api/trash")).total).toBe(1);
    // A file that changes after its folder was renamed is still the same.
    await writeFiles({ "notes/journeys/rome.md": "# Rome\n\nPantheon\n" });
    expect((await mirror("--yes")).output).toContain("0 created, 1 updated, 0 to the trash, 2 skipped");
  });

  test("keeps what others wrote, and does nothing without a listing", async () => {
    const root = join(await writeFiles(NOTES), "notes");
    await mirror("--yes");
    const { items } = await get<FolderList>("/api/folders");
    await send("POST", "/api/documents", {
      title: "Mine",
      folder_id: items.find(({ name }) => name === "Notes")?.id,
    });
    await rm(root, { recursive: true });
    expect(await mirror("--yes")).toMatchObject({
      code: 1,
      output: expect.stringContaining("does not exist"),
    });
    await mkdir(root);
    expect((await mirror("--yes")).output).toContain("an empty folder is not mirrored");
    await writeFiles({ "notes/b.txt": Buffer.from([0x00, 0x01]), "notes/c.md": "# New\n" });
    const partly = await mirror("--yes");
    expect(partly.output).toContain("1 created, 0 updated, 3 to the trash, 0 skipped, 1 refused");
    expect(await titles()).toEqual(["b", "Mine", "New"]);
  });
});
