import { expect, test } from "vitest";
import { type Assistant, assistant } from "../../kit/assistant.ts";
import { person } from "../../kit/client.ts";
import { initialize, stateless, use } from "../../kit/mcp.ts";

// What edit_document changes and says about it, in one document and in several.

const UNKNOWN = "doc:00000000-0000-7000-8000-000000000000";

const create = async (claude: Assistant, title: string, text = "# One\n\nalpha") =>
  String((await claude.createDocument({ title, text })).id);

const textOf = async (claude: Assistant, id: string) => (await claude.fetch({ id })).text;

test("each of several documents has its own edit and its own outcome, and one undo takes all of it back, in both generations", async () => {
  const ada = await person();
  for (const asker of [await initialize(ada), stateless(ada)]) {
    const made = await use(asker, "create_document", {
      documents: ["List", "Plan", "Log"].map((title) => ({ title, text: "# One\n\nalpha" })),
    });
    const ids = (made.results as { id: string }[]).map(({ id }) => id);
    const [list, plan, log] = ids;
    const edited = await use(asker, "edit_document", {
      reason: "Spring",
      documents: [
        { id: list, operation: "append", text: "beta\ngamma\ndelta\nepsilon" },
        {
          document_id: "PLAN",
          operation: "find_replace",
          find: "alpha",
          replacement: "omega",
          title: "Plan B",
        },
        { id: UNKNOWN, operation: "append", text: "x" },
        {
          id: log,
          operation: "replace_section",
          heading: "One",
          text: "zeta",
          add_tags: "done",
          expected_version: 1,
        },
        { id: log, operation: "append", text: "x", expected_version: 1 },
        { id: list, operation: "find_replace", text: "x" },
        { id: "mem:1", operation: "append", text: "x" },
        { operation: "append", text: "x" },
        { id: list, operation: "prepend", text: "before" },
        { id: plan, text: "what?" },
        { id: plan, operation: "set_fields", text: "x", title: "y" },
        { id: plan, operation: "append", text: "x", colour: "red" },
      ],
    });
    const detail = (text: string) => ({ ok: false, detail: expect.stringContaining(text) });
    expect(edited.results).toMatchObject([
      { index: 0, ok: true, id: list, version: 2, changed: ["4: beta", "5: gamma", "6: delta", "…"] },
      { index: 1, ok: true, id: plan, title: "Plan B", version: 2, replacements: 1, changed: ["3: omega"] },
      { index: 2, ...detail(`${UNKNOWN} was not found`) },
      { index: 3, ok: true, id: log, version: 2, tags: ["done"] },
      { index: 4, ...detail("has version 2, not 1") },
      { index: 5, ...detail("find_text: is required by find_replace") },
      { index: 6, ...detail("id: is a record, not a document") },
      { index: 7, ...detail("id: is required") },
      { index: 8, ok: true, id: list, version: 3 },
      { index: 9, ...detail("operation") },
      { index: 10, ...detail("text: set_fields does not change the text") },
      { index: 11, ...detail("colour") },
    ]);
    expect((await use(asker, "fetch", { id: list })).text).toMatch(/^before\n# One\n\nalpha\nbeta/);
    const undone = await use(asker, "undo_changes", { ids: edited.change_id });
    expect(undone).toMatchObject({ undone: 4 });
    for (const [place, title] of ["List", "Plan", "Log"].entries())
      expect(await use(asker, "fetch", { id: ids[place] })).toMatchObject({ title, text: "# One\n\nalpha" });
    await use(asker, "delete_document", { ids });
  }
});

test("what is given for several documents is given to each, which may say otherwise", async () => {
  const claude = await assistant(await person());
  const [one, two] = [await create(claude, "One"), await create(claude, "Two")];
  const { results } = await claude.editDocument({
    ...{ operation: "append", text: "beta", add_tags: "spring", folder: "Work/2027" },
    documents: [{ id: one }, { id: two, text: "gamma", folder: "Home" }],
  });
  expect(results).toMatchObject([
    { ok: true, folder: { path: "Work/2027", created: true }, tags: ["spring"] },
    { ok: true, folder: { path: "Home", created: true }, tags: ["spring"] },
  ]);
  expect([await textOf(claude, one), await textOf(claude, two)]).toEqual([
    "# One\n\nalpha\nbeta",
    "# One\n\nalpha\ngamma",
  ]);
});

test.for([
  [{ documents: [{ id: "a" }], ids: ["b"] }, "documents: give either ids or documents"],
  [
    { documents: [{ id: "a" }, { id: "b" }], operation: "set_fields", title: "x" },
    "title: goes in each of documents",
  ],
  [{ documents: [] }, "ids: which documents?"],
  [{ operation: "append", text: "x" }, "ids: which documents?"],
  [{ documents: "a, b" }, "documents"],
  [{ documents: [1, null] }, "documents"],
  [{ documents: Array.from({ length: 51 }, () => ({ id: "a" })) }, "documents"],
] as [object, string][])("refuses %j", async ([input, refused]) => {
  const claude = await assistant(await person());
  await expect(claude.editDocument(input)).rejects.toThrow(refused);
});

test("a title means what had it before the call, and a secret is refused in the document that has it", async () => {
  const claude = await assistant(await person());
  const [one, two] = [await create(claude, "One"), await create(claude, "Two")];
  const { results } = await claude.editDocument({
    documents: [
      { id: "One", operation: "set_fields", title: "Two" },
      { id: "Two", operation: "append", text: "beta" },
      { id: "One", operation: "append", text: "password: hunter2-Tr0ub4dor" },
    ],
  });
  expect(results).toMatchObject([
    { ok: true, id: one, title: "Two" },
    { ok: true, id: two },
    { ok: false, detail: expect.stringContaining("looks like") },
  ]);
});

test("fifty long texts are edited in one call, while others are answered", { timeout: 60_000 }, async () => {
  const claude = await assistant(await person());
  const text = "Some words of a long text. ".repeat(1000);
  const ids: string[] = [];
  for (let n = 0; n < 50; n++) ids.push(await create(claude, `No. ${n}`, text));
  const { results = [] } = await claude.editDocument({
    ...{ operation: "append", text: "The end" },
    documents: ids.map((id) => ({ id })),
  });
  expect(results.map(({ ok, id }) => ok && id)).toEqual(ids);
});

const WEEK = `# Monday

## Notes

Call Grace
Buy stamps

## Budget

${Array.from({ length: 30 }, (_, n) => `Line ${n}`).join("\n")}

### Hotels

Two nights

# Tuesday

## Notes

Rest
`;

test("what a replacement removes is counted, with its headings, and comes back", async () => {
  const claude = await assistant(await person());
  const { id } = await claude.createDocument({ title: "Week", text: WEEK });
  const edit = (more: object) => claude.editDocument({ id, ...more });
  const section = await edit({
    operation: "replace_section",
    section: "Budget",
    text: "Line 3\nLine 4\nAll paid",
  });
  expect(section).toMatchObject({
    version: 2,
    changed: [expect.stringContaining("Line 3"), "11: Line 4", "12: All paid"],
    removed:
      "30 lines (208 characters), among them the heading ### Hotels; to undo, call restore with version 1",
  });
  const emptied = await edit({ operation: "replace_section", section: "Tuesday", text: "" });
  expect(emptied.removed).toMatch(
    /^2 lines \(12 characters\), among them the heading ## Notes; to undo, call restore with version \d+$/,
  );
  const all = await edit({ operation: "replace_all", text: "# Monday\n\nNothing" });
  expect(all.removed).toBe(
    "8 lines (66 characters), among them the headings ## Notes, ## Budget, # Tuesday; to undo, call restore with version 3",
  );
  expect(await edit({ operation: "replace_all", text: "# Monday\n\nNothing\nMore" })).not.toHaveProperty(
    "removed",
  );
  expect(await edit({ operation: "append", text: "End" })).not.toHaveProperty("removed");
  await claude.restore({ id, version: 1 });
  expect(await textOf(claude, String(id))).toBe(WEEK);
});

test("of several sections with one name each can be chosen", async () => {
  const claude = await assistant(await person());
  const text =
    "# A\n\n## Notes\n\none\n\n# B\n\n## Notes\n\ntwo\n\n### Notes\n\nthree\n\n## Real [2]\n\nfour\n";
  const { id } = await claude.createDocument({ title: "Two", text });
  const edit = (section: string, text: string) =>
    claude.editDocument({ id, operation: "replace_section", section, text });
  await expect(edit("Notes", "x")).rejects.toThrow(
    'section: 3 sections are called "Notes", and nothing was changed; which one? Send its name with its number: ' +
      '"Notes [1]" (##, line 3, below # A); "Notes [2]" (##, line 9, below # B); "Notes [3]" (###, line 13, below ## Notes)',
  );
  await expect(edit("## Notes", "x")).rejects.toThrow('"## Notes [2]" (##, line 9, below # B)');
  await edit("Notes [3]", "THREE");
  await edit("## Notes [1]", "ONE");
  await edit("Real [2]", "FOUR");
  expect(await textOf(claude, String(id))).toBe(
    text.replace("one", "ONE").replace("three", "THREE").replace("four", "FOUR"),
  );
  await expect(edit("Notes [4]", "x")).rejects.toThrow(
    'section: there is no "Notes [4]"; its headings are # A;',
  );
});
