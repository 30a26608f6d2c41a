import { CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { afterEach, expect, test } from "vitest";
import { markdownSupport } from "../src/features/document/editor/language.ts";
import { linkSource } from "../src/features/document/editor/link-completion.ts";
import { ALL_FOLDERS_QUERY } from "../src/features/folders/folders.ts";
import { queries } from "../src/state/queries.ts";

// What a document that is picked after `[[` becomes in the text. `‸` is the cursor.

const ID = "0194f3a2-1c6e-7000-8000-000000000000";

let view: EditorView | undefined;
afterEach(() => {
  view?.destroy();
  queries.clear();
});

async function pickFirst(text: string, title: string): Promise<string> {
  queries.setQueryData(["documents", "latest"], { items: [{ id: ID, title, folder_id: null }] });
  queries.setQueryData(ALL_FOLDERS_QUERY.queryKey, []);
  const doc = text.replace("‸", "");
  const at = text.indexOf("‸");
  const state = EditorState.create({ doc, selection: { anchor: at }, extensions: [markdownSupport()] });
  view = new EditorView({ state });
  const result = (await linkSource(() => {})(new CompletionContext(state, at, false))) as CompletionResult;
  const [option] = result.options;
  if (!option || typeof option.apply !== "function") throw new Error("Nothing is offered");
  option.apply(view, option, result.from, at);
  return view.state.doc.toString();
}

test("a title that no link can name is linked by its id", async () => {
  expect(await pickFirst("See [[‸", "Ada #1")).toBe(`See [[doc:${ID}|Ada #1]]`);
});

test("in a table, the bar of a link does not end the cell", async () => {
  const table = (link: string) => `| a | b |\n| --- | --- |\n| ${link} | x |`;
  expect(await pickFirst(table("[[‸"), "Ada #1")).toBe(table(`[[doc:${ID}\\|Ada #1]]`));
  expect(await pickFirst(table("[[‸]]"), "Ada")).toBe(table("[[Ada]]"));
});
