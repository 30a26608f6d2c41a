import { expect, test } from "vitest";
import * as documents from "../../../src/features/documents/routes.ts";
import * as folders from "../../../src/features/folders/routes.ts";
import { assistant } from "../../kit/assistant.ts";
import { atOnce } from "../../kit/at-once.ts";
import { person } from "../../kit/client.ts";
import { bareId } from "../../kit/mcp.ts";

test("an assistant keeps a document: creates, lists, edits and deletes it", async () => {
  const ada = await person();
  const claude = await assistant(ada);
  const made = await claude.createDocument({
    title: "Plan",
    text: "# A\n\nold\n",
    tags: "x, y",
  });
  const id = bareId(made.id);
  expect(made).toEqual({ id: `doc:${id}`, title: "Plan", tags: ["x", "y"] });
  const listed = await claude.listDocuments({ tags: "x", limit: "1" });
  expect(listed).toMatchObject({ total: 1, has_more: false, documents: [{ id: made.id }] });

  const edit = { id, operation: "replace_section", heading: "A", new_text: "new", expected_version: 1 };
  expect(await claude.editDocument(edit)).toMatchObject({ version: 2, changed: ["3: new"] });
  await expect(claude.editDocument(edit)).rejects.toThrow(/repeat it with expected_version 2/);
  const fields = { id, operation: "set_fields", title: "Plan B" };
  expect(await claude.editDocument(fields)).toMatchObject({ title: "Plan B", version: 3 });
  await expect(claude.editDocument(fields)).rejects.toThrow(/Nothing to change/);
  await expect(claude.editDocument({ id, operation: "append" })).rejects.toThrow(/text/);

  const params = { document_id: id };
  expect(await ada.ok(documents.getDocumentRoute, { params })).toMatchObject({
    source_type: "mcp",
    content: { format: "markdown", text: "# A\n\nnew\n" },
  });
  const versions = await ada.ok(documents.listVersionsRoute, { params });
  const written = { source_type: "mcp", client_name: "Claude" };
  expect(versions.items).toMatchObject([written, written]);

  expect(await claude.deleteDocument({ document_id: id })).toMatchObject({
    id: made.id,
    trashed: true,
  });
  await expect(claude.deleteDocument({ id })).rejects.toThrow(/restore brings it back/);
  const bob = await assistant(await person());
  await expect(bob.editDocument(fields)).rejects.toThrow(/list_documents/);
});

test("an id is accepted in every form that answers contain", async () => {
  const ada = await person();
  const claude = await assistant(ada);
  const made = await claude.createDocument({ title: "Plan", text: "x" });
  const id = bareId(made.id);
  for (const name of [`doc:${id}`, `doc://${id}`, `https://commonplace.test/open/doc/${id}`, `doc:${id}#2`]) {
    const edited = await claude.editDocument({ id: name, operation: "append", text: "y" });
    expect(edited.id, name).toBe(made.id);
  }
  await expect(claude.deleteDocument({ id: `doc:${id}0` })).rejects.toThrow(
    "ids.0: must be doc:<uuid>, as shown by search and list_documents",
  );
  await expect(claude.editDocument({ id: "Plans", operation: "append", text: "y" })).rejects.toThrow(
    "as shown by search and list_documents",
  );
  expect(await claude.deleteDocument({ id: `doc:${id}` })).toMatchObject({
    id: made.id,
    trashed: true,
  });
});

test("an edit says how many occurrences it replaced, and shows the lines it changed", async () => {
  const claude = await assistant(await person());
  const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}${index % 3 ? "" : " red"}`);
  const { id } = await claude.createDocument({ title: "Lines", text: lines.join("\r\n") });
  const edit = (fields: Record<string, unknown>) => claude.editDocument({ id, ...fields });
  const replaced = await edit({ operation: "find_replace", find_text: " red", text: " green\nblue" });
  expect(replaced.replacements).toBe(14);
  const { changed = [] } = replaced;
  expect(changed.slice(0, 4)).toEqual(["1: line 1 green", "2: blue", "5: line 4 green", "6: blue"]);
  expect(changed.at(-1)).toBe("… and 18 more lines");
  expect((await edit({ operation: "append", text: "the end" })).changed).toEqual(["55: the end"]);
  expect((await edit({ operation: "prepend", text: "a start" })).changed).toEqual(["1: a start"]);
  expect((await edit({ operation: "replace_all", text: "x".repeat(500) })).changed).toEqual([
    `1: ${"x".repeat(200)}…`,
  ]);
});

test("a folder is named by its name, its path or its id, and a missing one is created when something is put in it", async () => {
  const ada = await person();
  const claude = await assistant(ada);
  const create = (title: string, folder: string) => claude.createDocument({ title, text: "x", folder });
  const made = await create("One", "Work/Notes");
  const notes = { id: made.folder?.id ?? "", path: "Work/Notes" };
  expect(made.folder).toEqual({ ...notes, created: true });
  for (const name of ["work/notes", "Notes", " Work / Notes ", "/Work/Notes/", notes.id, bareId(notes.id)]) {
    expect(await create("Two", name), name).toMatchObject({ folder: notes });
  }
  // Below a folder that exists, only what is missing is created.
  expect((await create("Three", "Notes/2026")).folder).toMatchObject({
    path: "Work/Notes/2026",
    created: true,
  });
  const { items } = await ada.ok(folders.listFoldersRoute);
  expect(items.map(({ name }) => name)).toEqual(["2026", "Notes", "Work"]);

  const list = (folder: string) => claude.listDocuments({ folder });
  const listed = await list("Notes");
  expect(listed).toMatchObject({ folder: notes, total: 7, subfolders: [{ path: "Work/Notes/2026" }] });
  const [latest] = (await claude.listDocuments()).documents;
  expect(latest).toMatchObject({ title: "Three", folder: { path: "Work/Notes/2026" } });
  await expect(list("Nots")).rejects.toThrow('there is no "Nots"; did you mean "Work/Notes"');
  await expect(list("Work/Nothing")).rejects.toThrow("did you mean");
  await create("Four", "Home/Notes");
  await expect(list("Notes")).rejects.toThrow(/may be "Home\/Notes" \(.+\), "Work\/Notes"/);
  await expect(create("Five", "notes")).rejects.toThrow("give the whole path");

  const id = String((await create("Six", "Work")).id);
  const move = (folder: string) => claude.editDocument({ id, operation: "set_fields", folder_id: folder });
  expect(await move("Home")).toMatchObject({ folder: { path: "Home" } });
  expect((await move("/")).folder).toEqual({ path: "/" });
  expect(await list("/")).toMatchObject({ total: 1, documents: [{ id }] });
  for (const bad of ["a/".repeat(40), "x".repeat(256), "\u0000", `${"y".repeat(200)}/`.repeat(12)]) {
    await expect(create("Seven", bad)).rejects.toThrow("folder: must be at most");
  }
  const bob = await assistant(await person());
  await expect(bob.listDocuments({ folder: notes.id })).rejects.toThrow("no folders yet");
  await expect(bob.createDocument({ title: "x", text: "x", folder: notes.id })).rejects.toThrow(
    "there is no",
  );
});

test("two assistants that put something into the same missing folder create it once", async () => {
  const ada = await person();
  const sent = { title: "One", text: "x", folder: "A/B/C" };
  const made = await atOnce(8, async () => (await assistant(ada)).createDocument(sent));
  expect(new Set(made.map(({ folder }) => folder?.id)).size).toBe(1);
  expect(made.filter(({ folder }) => folder?.created)).toHaveLength(1);
  expect((await ada.ok(folders.listFoldersRoute)).total).toBe(3);
});

test("a document comes back from the trash, and every version of it can be read and restored", async () => {
  const ada = await person();
  const claude = await assistant(ada);
  const made = await claude.createDocument({ title: "Recipe", text: "plums", folder: "Home" });
  const id = bareId(made.id);
  const home = { id: made.folder?.id, path: "Home" };
  await claude.editDocument({ id, operation: "append", text: "sugar" });
  await claude.editDocument({ id, operation: "replace_all", text: "gone" });
  const restore = (input: object) => claude.restore(input);
  await expect(restore({ id })).rejects.toThrow("is not in the trash");
  expect(await claude.listVersions({ id: `doc:${id}` })).toMatchObject({
    versions: [2, 1].map((version) => ({ id: `doc:${id}@${version}`, written_by: "Claude" })),
  });
  expect(await claude.fetch({ id: `doc:${id}@2` })).toMatchObject({
    id: `doc:${id}@2`,
    text: "plums\nsugar",
    metadata: { version: 2 },
  });
  expect(await restore({ id, version: "2" })).toMatchObject({ version: 4 });
  expect(await claude.fetch({ id })).toMatchObject({ text: "plums\nsugar" });

  await claude.deleteDocument({ id });
  expect(await claude.fetch({ id })).toMatchObject({
    text: "plums\nsugar",
    metadata: { in_trash: expect.stringContaining("restore brings it back") },
  });
  expect(await claude.listTrash()).toMatchObject({
    items: [{ id: `doc:${id}`, kind: "document", title: "Recipe", folder: home }],
    total: 1,
    has_more: false,
  });
  // From the trash, an earlier state at once.
  expect(await restore({ id: `doc:${id}@1` })).toMatchObject({ title: "Recipe", folder: home });
  expect(await claude.fetch({ id })).toMatchObject({
    text: "plums",
    metadata: { folder: { path: "Home" } },
  });
  expect(await claude.listTrash()).toMatchObject({ items: [], total: 0 });
  const loose = await claude.createDocument({ title: "Loose", text: "x" });
  await claude.deleteDocument({ id: loose.id });
  const [thrown] = (await claude.listTrash()).items;
  expect(thrown).not.toHaveProperty("folder");
  expect(await restore({ id: loose.id })).toMatchObject({ title: "Loose", folder: { path: "/" } });
  await expect(restore({ id, version: 99 })).rejects.toThrow("list_versions");
  await expect(restore({ id: "nonsense" })).rejects.toThrow("doc:<uuid>");
  const bob = await assistant(await person());
  await expect(bob.restore({ id })).rejects.toThrow("was not found");
  await expect(bob.listVersions({ id })).rejects.toThrow("was not found");
});
