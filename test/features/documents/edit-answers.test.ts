import { expect, test } from "vitest";
import * as documents from "../../../src/features/documents/routes.ts";
import { createDocumentTool, editDocumentTool } from "../../../src/features/documents/tools.ts";
import { restoreTool } from "../../../src/features/trash/tools.ts";
import { type Client, person } from "../../kit/client.ts";
import { callTool, ctxOf } from "../../kit/ctx.ts";
import { bareId } from "../../kit/mcp.ts";

// What edit_document says about a text that is replaced, and which of several sections it means.

const textOf = async (who: Client, id: string) =>
  (await who.ok(documents.getDocumentRoute, { params: { document_id: bareId(id) } })).content?.text;

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
  const ada = await person();
  const ctx = await ctxOf(ada);
  const { id } = await callTool(ctx, createDocumentTool, { title: "Week", text: WEEK });
  const edit = (more: object) => callTool(ctx, editDocumentTool, { id, ...more });
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
  await callTool(ctx, restoreTool, { id, version: 1 });
  expect(await textOf(ada, id ?? "")).toBe(WEEK);
});

test("of several sections with one name each can be chosen", async () => {
  const ada = await person();
  const ctx = await ctxOf(ada);
  const text =
    "# A\n\n## Notes\n\none\n\n# B\n\n## Notes\n\ntwo\n\n### Notes\n\nthree\n\n## Real [2]\n\nfour\n";
  const { id } = await callTool(ctx, createDocumentTool, { title: "Two", text });
  const edit = (section: string, text: string) =>
    callTool(ctx, editDocumentTool, { id, operation: "replace_section", section, text });
  await expect(edit("Notes", "x")).rejects.toThrow(
    'section: 3 sections are called "Notes", and nothing was changed; which one? Send its name with its number: ' +
      '"Notes [1]" (##, line 3, below # A); "Notes [2]" (##, line 9, below # B); "Notes [3]" (###, line 13, below ## Notes)',
  );
  await expect(edit("## Notes", "x")).rejects.toThrow('"## Notes [2]" (##, line 9, below # B)');
  await edit("Notes [3]", "THREE");
  await edit("## Notes [1]", "ONE");
  await edit("Real [2]", "FOUR");
  expect(await textOf(ada, id ?? "")).toBe(
    text.replace("one", "ONE").replace("three", "THREE").replace("four", "FOUR"),
  );
  await expect(edit("Notes [4]", "x")).rejects.toThrow(
    'section: there is no "Notes [4]"; its headings are # A;',
  );
});
