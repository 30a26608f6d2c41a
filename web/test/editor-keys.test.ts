import { insertNewlineAndIndent } from "@codemirror/commands";
import { ensureSyntaxTree, indentOnInput } from "@codemirror/language";
import {
  EditorSelection,
  EditorState,
  type Extension,
  type StateCommand,
  StateEffect,
  type Transaction,
  type TransactionSpec,
} from "@codemirror/state";
import { EditorView, runScopeHandlers } from "@codemirror/view";
import { describe, expect, test, vi } from "vitest";
import { insertTable } from "../src/features/document/editor/blocks.ts";
import { closeFence } from "../src/features/document/editor/fence.ts";
import { enterKey, markdownSupport } from "../src/features/document/editor/language.ts";
import { indentItems, outdentItems } from "../src/features/document/editor/list-commands.ts";
import { cellBelow, nextCell, previousCell, tableKeys } from "../src/features/document/editor/table-keys.ts";
import { moveOverPipe } from "../src/features/document/editor/table-pipe.ts";
import { tickTasks } from "../src/features/document/editor/tick-tasks.ts";
import {
  hideTitleHeading,
  shownStart,
  showTitleHeading,
} from "../src/features/document/editor/title-heading.ts";
import { wrapSelection } from "../src/features/document/editor/wrap-selection.ts";
import { enterChange, typedChange } from "../src/features/document/enter-key.ts";
import { toggleInlineMark, toggleLineMarker } from "../src/features/document/format.ts";

// What keys do in tables and lists. `‸` is the cursor; between two of them is what is selected.

function stateOf(text: string, more: Extension = []): EditorState {
  const [before = "", selected = "", after] = text.split("‸");
  const doc = before + selected + (after ?? "");
  const selection = EditorSelection.range(
    before.length,
    before.length + (after === undefined ? 0 : selected.length),
  );
  return EditorState.create({
    doc,
    selection: EditorSelection.create([selection]),
    extensions: [markdownSupport(), more],
  });
}

function shown({ doc, selection: { main } }: EditorState): string {
  const [before, selected, after] = [
    doc.sliceString(0, main.from),
    doc.sliceString(main.from, main.to),
    doc.sliceString(main.to),
  ];
  return `${before}‸${selected}${selected && "‸"}${after}`;
}

/** The text after a key, or false where the key means something else. */
function press(command: StateCommand, text: string, more?: Extension): string | false {
  let state = stateOf(text, more);
  const isHandled = command({
    state,
    dispatch: (transaction) => {
      state = transaction.state;
    },
  });
  return isHandled && shown(state);
}

const table = (...rows: string[]) => rows.join("\n");

describe("in a table", () => {
  const BARE = table("| Name | Age |", "|---|--:|", "| Ad‸a | 36 |", "| Grace Hopper | 85 |");

  test("Tab goes to the next cell, and puts the columns below each other", () => {
    expect(press(nextCell, BARE)).toBe(
      table(
        "| Name         | Age |",
        "| ------------ | --: |",
        "| Ada          |  ‸36‸ |",
        "| Grace Hopper |  85 |",
      ),
    );
  });

  test("Shift-Tab goes back, and stays in the first cell", () => {
    expect(press(previousCell, "| A | B |\n| - | - |\n| ‸1 | 2 |")).toBe("| A | ‸B‸ |\n| - | - |\n| 1 | 2 |");
    expect(press(previousCell, "| A‸ | B |\n| - | - |")).toBe("| ‸A‸ | B |\n| - | - |");
  });

  test("Tab in the last cell adds a row", () => {
    expect(press(nextCell, "| A | B |\n| - | - |\n| 1 | 2‸ |\n\nAfter")).toBe(
      "| A | B |\n| - | - |\n| 1 | 2 |\n| ‸  |   |\n\nAfter",
    );
  });

  test("Enter goes to the row below, adds one behind the last, and leaves an empty one", () => {
    expect(press(cellBelow, "| A‸ | B |\n| - | - |\n| 1 | 2 |")).toBe("| A | B |\n| - | - |\n| ‸1‸ | 2 |");
    expect(press(cellBelow, "| A | B |\n| - | - |\n| 1 | 2‸ |")).toBe(
      "| A | B |\n| - | - |\n| 1 | 2 |\n|   | ‸  |",
    );
    expect(press(cellBelow, "| A | B |\n| - | - |\n| 1 | 2 |\n|   | ‸  |")).toBe(
      "| A | B |\n| - | - |\n| 1 | 2 |\n\n‸",
    );
    expect(press(cellBelow, "‸| A | B |\n| - | - |")).toBe(false);
  });

  test("a pipe that is a part of a word stays one, and rows of other lengths lose nothing", () => {
    expect(press(nextCell, "| A | B |\n| :-: | - |\n| a\\|b‸ |\n| 1 | 2 | 3 |")).toBe(
      "|   A  | B |   |\n| :--: | - | - |\n| a\\|b | ‸  |   |\n|   1  | 2 | 3 |",
    );
  });

  test("tables in lists and quotations keep their places", () => {
    expect(press(nextCell, "> | A | B |\n> | - | - |\n> | ‸long | 2 |")).toBe(
      "> | A    | B |\n> | ---- | - |\n> | long | ‸2‸ |",
    );
    expect(press(nextCell, "- | A | B |\n  | - | - |\n  | ‸long | 2 |")).toBe(
      "- | A    | B |\n  | ---- | - |\n  | long | ‸2‸ |",
    );
  });

  test("their keys come before those of Markdown, although they are added later", () => {
    const enter = (text: string) => {
      const view = new EditorView({ state: stateOf(text) });
      view.dispatch({ effects: StateEffect.appendConfig.of(tableKeys) });
      runScopeHandlers(view, new KeyboardEvent("keydown", { key: "Enter" }), "editor");
      return shown(view.state);
    };
    expect(enter("> | a | b |\n> | - | - |\n> | 1‸ | 2 |")).toBe(
      "> | a | b |\n> | - | - |\n> | 1 | 2 |\n> | ‸  |   |",
    );
    expect(enter("- | a | b |\n  | - | - |\n  | 1‸ | 2 |")).toBe(
      "- | a | b |\n  | - | - |\n  | 1 | 2 |\n  | ‸  |   |",
    );
    expect(enter("> one‸")).toBe("> one\n> ‸");
  });

  /** The text after typing, one key after the other. */
  function typed(keys: string): string {
    let state = stateOf("‸");
    const change = (transaction: TransactionSpec) => {
      state = state.update(transaction).state;
    };
    const dispatch = (transaction: Transaction) => {
      state = transaction.state;
    };
    for (const key of keys) {
      const { from, to } = state.selection.main;
      if (key === "\n" && cellBelow({ state, dispatch })) continue;
      if (key !== "\n" && moveOverPipe(state, { from, to, text: key }, dispatch)) continue;
      change(state.replaceSelection(key));
    }
    return shown(state);
  }

  test("one that is typed sign by sign, as in any other program, is what was meant", () => {
    const text = "| Plant | Metres |\n|---|---|\n| Tomato | 3 |\n| Bean | 12 |\n\nBelow";
    expect(typed(text)).toBe(
      table(
        "| Plant  | Metres |",
        "| ------ | ------ |",
        "| Tomato | 3      |",
        "| Bean   | 12     |",
        "",
        "Below‸",
      ),
    );
    expect(typed("| A | B |\n|---|---|\n| | x |\n| y \\| z |")).toBe(
      table("| A      | B |", "| ------ | - |", "|        | x |", "| y \\| z | ‸  |"),
    );
  });

  test("a key means something else outside of it", () => {
    for (const key of [nextCell, previousCell, cellBelow])
      expect(press(key, "Some ‸words | here")).toBe(false);
  });
});

test("Backspace below a hidden heading only shows it, and then edits it", () => {
  const backspace = (text: string) => {
    const view = new EditorView({ state: stateOf(text, hideTitleHeading("Packing")) });
    const start = shownStart(view.state);
    runScopeHandlers(view, new KeyboardEvent("keydown", { key: "Backspace" }), "editor");
    return [start, shown(view.state), shownStart(view.state)];
  };
  expect(backspace("# Packing\n‸Tent")).toEqual([10, "# Packing‸\nTent", 0]);
  expect(backspace("# Packing\n\n‸- Tent")).toEqual([11, "# Packing\n‸\n- Tent", 0]);
  for (const text of ["# Packing\nT‸ent", "# Packing\n‸Tent‸", "# Other\n‸Tent"])
    expect(press(showTitleHeading, text, hideTitleHeading("Packing"))).toBe(false);
});

describe("marks", () => {
  const bold = (text: string) => press(toggleInlineMark("**"), text);
  const italic = (text: string) => press(toggleInlineMark("*"), text);
  const code = (text: string) => press(toggleInlineMark("`"), text);

  test("are put around what is selected, and taken away again", () => {
    expect(bold("a ‸word‸")).toBe("a **‸word‸**");
    expect(bold("a **‸word‸**")).toBe("a ‸word‸");
    expect(bold("a ‸**word**‸")).toBe("a ‸word‸");
    expect(italic("a **‸word‸**")).toBe("a ***‸word‸***");
    expect(italic("a ***‸word‸***")).toBe("a **‸word‸**");
    expect(bold("a ***‸word‸***")).toBe("a *‸word‸*");
    expect(code("‸a‸ b")).toBe("`‸a‸` b");
  });

  test("are set over all of what is selected, if a part of it lacks them, and then removed from all", () => {
    expect(bold("a ‸**b** c‸ d")).toBe("a **‸b c‸** d");
    expect(bold("a **‸b c‸** d")).toBe("a ‸b c‸ d");
    expect(bold("a **b‸c** d‸")).toBe("a **b‸c d‸**");
    expect(bold("**a** ‸and **b** c‸")).toBe("**a** **‸and b c‸**");
    expect(bold("**a ‸b‸ c**")).toBe("**a** ‸b‸ **c**");
    expect(bold("**a‸b‸**")).toBe("**a**‸b‸");
    expect(bold("‸word ‸and")).toBe("**‸word‸** and");
    expect(italic("‸a **b** c‸")).toBe("*‸a **b** c‸*");
    expect(bold("‸  ‸")).toBe("‸  ‸");
  });

  test("are set in each line of a selection, behind its marker", () => {
    const items = "- ‸one\n- [ ] **two**\n\n> three‸ words";
    const marked = "- **‸one**\n- [ ] **two**\n\n> **three‸** words";
    expect(bold(items)).toBe(marked);
    expect(bold(marked)).toBe("- ‸one\n- [ ] two\n\n> three‸ words");
    expect(bold("‸# One\n1. two‸")).toBe("# **‸One**\n1. **two‸**");
  });

  test("leave code and lines as they are, and are set in each cell of a table", () => {
    const [one, two] = ["```js\nlet a;\n```\n\n---\n\n    b\n\n", "\n| - | - |\n"];
    const text = `‸Words\n\n${one}> | a | b c |${two.replace("|", "> |")}> | \`d\` |  |\n\nEnd‸`;
    const marked = `**‸Words**\n\n${one}> | **a** | **b c** |${two.replace("|", "> |")}> | **\`d\`** |  |\n\n**End‸**`;
    expect(bold(text)).toBe(marked);
    expect(bold(marked)).toBe(text);
    for (const code of ["```\n‸a‸\n```", "One\n‸---‸"]) expect(bold(code)).toBe(code);
  });

  test("leave blocks behind a marker as they are, and other text that is not prose", () => {
    for (const text of [
      "- ```js\n  let a;\n  ```",
      "> - ```\n>   a\n>   ```",
      ">```\n>a\n>```",
      "1. ---",
      "%%\ncomment\n%%",
      "<!--\ncomment\n-->",
      "[x]: http://example.org",
      "[^1]: note",
    ])
      expect(bold(`‸${text}\n\nEnd‸`)).toBe(`${text}\n\n**‸End‸**`);
    const [row, rule] = ["1. | a | b |", "   | - | - |"];
    expect(bold(`‸${row}\n${rule}‸`)).toBe(`1. | **‸a** | **b‸** |\n${rule}`);
    expect(bold("> ‸[!note]- Title\n> words‸")).toBe("> [!note]- **‸Title**\n> **words‸**");
    expect(bold("‸[^1]: A note‸")).toBe("[^1]: **‸A note‸**");
    expect(bold("> ‸[!note]\n> words‸")).toBe("> [!note]\n> **‸words‸**");
  });

  test("are set as far as the text is known to be prose", () => {
    const long = "Words\n\n".repeat(2000);
    expect(bold(`${long}‸\`\`\`\ncode\n\`\`\`\n\nEnd‸`)).toBe(`${long}\`\`\`\ncode\n\`\`\`\n\n**‸End‸**`);
  });

  test("and brackets and quotes that are typed over selected words are put around them", () => {
    const typed = (sign: string, text: string) => {
      const state = stateOf(text);
      const change = wrapSelection(state, sign);
      return change && shown(state.update(change).state);
    };
    expect(typed("*", "a ‸word ‸b")).toBe("a *‸word‸* b");
    expect(typed("*", "a *‸word‸* b")).toBe("a **‸word‸** b");
    expect(typed("[", "‸word‸")).toBe("[‸word‸]");
    for (const [sign, end] of ["()", "{}", "``", "__", "~~", '""', "''", "„“"].map((pair) => [...pair]))
      expect(typed(sign ?? "", "‸two words‸")).toBe(`${sign}‸two words‸${end}`);
    expect(typed("x", "‸word‸")).toBe(undefined);
    expect(typed("*", "word‸")).toBe(undefined);
  });

  test("end where the key that began them is pressed again", () => {
    expect(bold("This is ‸")).toBe("This is **‸**");
    expect(bold("This is **‸**")).toBe("This is ‸");
    expect(bold("This is **bold‸**")).toBe("This is **bold**‸");
    expect(italic("An *italic‸* word")).toBe("An *italic*‸ word");
    expect(code("Some `code‸`")).toBe("Some `code`‸");
    expect(italic("**bold *both‸***")).toBe("**bold *both*‸**");
    expect(bold("**bold *both*‸**")).toBe("**bold *both***‸");
  });

  test("leave spaces at their end outside, where they would not be marks", () => {
    expect(bold("This is **bold ‸**")).toBe("This is **bold** ‸");
  });

  test("are taken away around the cursor", () => {
    expect(bold("This **is bo‸ld** here")).toBe("This is bo‸ld here");
    expect(code("`co‸de`")).toBe("co‸de");
    expect(italic("This *i‸s* it")).toBe("This i‸s it");
    expect(italic("**bo‸ld**")).toBe("**bo*‸*ld**");
  });
});

describe("the toolbar", () => {
  const list = (mark: string, text: string) => press(toggleLineMarker(mark), text);

  test("makes lists of lines, one kind of another, and lines again", () => {
    expect(list("1. ", "‸one\n\ntwo\nthree‸")).toBe("1. ‸one\n\n2. two\n3. three‸");
    expect(list("1. ", "1. ‸one\n2. two‸")).toBe("‸one\ntwo‸");
    expect(list("- ", "- [x] o‸ne")).toBe("- o‸ne");
    expect(list("- ", "* o‸ne")).toBe("o‸ne");
    expect(list("- [ ] ", "- [x] o‸ne")).toBe("o‸ne");
    expect(list("- [ ] ", "1. o‸ne")).toBe("- [ ] o‸ne");
    expect(list("# ", "### o‸ne")).toBe("# o‸ne");
    expect(list("- ", "‸")).toBe("- ‸");
  });

  test("inserts a table below the line of the cursor, with its first cell selected", () => {
    const cells = "| ‸Column‸ | Column |\n| ------ | ------ |\n|        |        |";
    expect(press(insertTable, "‸")).toBe(cells);
    expect(press(insertTable, "wo‸rds\nmore")).toBe(`words\n\n${cells}\nmore`.replace("\nmore", "\n\nmore"));
  });
});

describe("in code", () => {
  /** The text after Enter, or after a typed sign, once the language of the block is loaded. */
  const coded = async (text: string, key = "Enter") => {
    const state = () => stateOf(text, indentOnInput());
    await vi.waitFor(() => {
      const tree = ensureSyntaxTree(state(), state().doc.length, 1000);
      expect(tree?.resolveInner(text.indexOf("(a)") + 1, 1).name).toBe("VariableName");
    });
    if (key !== "Enter")
      return shown(state().update({ ...state().replaceSelection(key), userEvent: "input.type" }).state);
    return press(insertNewlineAndIndent, text);
  };

  test("a bracket comes back to its column, and Enter behind the block begins at its edge", async () => {
    expect(await coded("```js\nif (a) {\n  b();\n  ‸\n```", "}")).toBe("```js\nif (a) {\n  b();\n}‸\n```");
    expect(await coded("```js\nif (a) {\n  b();‸\n```")).toBe("```js\nif (a) {\n  b();\n  ‸\n```");
    expect(await coded("```js\nif (a) {\n  b();\n```‸")).toBe("```js\nif (a) {\n  b();\n```\n‸");
  });

  const typed = (text: string) => {
    let state = stateOf(text);
    const { head } = state.selection.main;
    const isHandled = closeFence(state, { from: head, to: head, text: "`" }, (transaction) => {
      state = state.update(transaction).state;
    });
    return isHandled && shown(state);
  };

  test("the fence that closes it stands where the one that opened it does", () => {
    expect(typed("```js\nif (a) {\n  b();\n  ``‸")).toBe("```js\nif (a) {\n  b();\n```‸");
    expect(typed("- item\n\n  ```js\n  a\n    ``‸")).toBe("- item\n\n  ```js\n  a\n  ```‸");
    expect(typed("```js\na\n``‸")).toBe(false);
    expect(typed("  ``‸")).toBe(false);
    expect(typed("~~~\na\n  ``‸")).toBe(false);
  });
});

describe("in a list", () => {
  const enter = (text: string) => press(enterKey, text);

  test("Enter continues items, tasks and quotations, and an empty one ends them", () => {
    expect(enter("- one‸")).toBe("- one\n- ‸");
    expect(enter("- [x] one‸")).toBe("- [x] one\n- [ ] ‸");
    expect(enter("> one‸")).toBe("> one\n> ‸");
    expect(enter("1. one‸\n2. two")).toBe("1. one\n2. ‸\n3. two");
    expect(enter("- one\n- two\n- ‸")).toBe("- one\n- two\n\n‸");
    expect(enter("- one\n- [ ] two\n- [ ] ‸")).toBe("- one\n- [ ] two\n\n‸");
    expect(enter("- one\n- ‸")).toBe("- one\n\n‸");
    expect(enter("1. one\n2. ‸\nAfter")).toBe("1. one\n\n‸\nAfter");
    expect(enter("> one\n> ‸")).toBe("> one\n\n‸");
    expect(enter("- one\n  - in it\n  - ‸")).toBe("- one\n  - in it\n- ‸");
    expect(enter("Words‸")).toBe(false);
  });

  test("Enter in front of an item's text puts another item above it", () => {
    expect(enter("- one\n- ‸two")).toBe("- one\n- \n- ‸two");
    expect(enter("- [x] ‸one")).toBe("- [ ] \n- [x] ‸one");
    expect(enter("1. ‸one\n2. two")).toBe("1. \n2. ‸one\n3. two");
    expect(enter("> - ‸one")).toBe("> - \n> - ‸one");
    expect(enter("- one\n  - ‸in it")).toBe("- one\n  - \n  - ‸in it");
  });

  test("where no editor is, Enter does the same by the lines alone", () => {
    const byLines = (text: string) => {
      const at = text.indexOf("‸");
      const plain = text.replace("‸", "");
      const { from, to, insert, cursor } = enterChange(plain, at);
      const after = plain.slice(0, from) + insert + plain.slice(to);
      return `${after.slice(0, cursor)}‸${after.slice(cursor)}`;
    };
    for (const text of [
      ...["- one‸", "- [x] one‸", "> one‸", "- one\n- two\n- ‸", "- one\n- [ ] two\n- [ ] ‸", "- one\n- ‸"],
      ...[
        "1. one\n2. ‸\nAfter",
        "> one\n> ‸",
        "9) nine‸",
        "- on‸e",
        "- one\n- ‸two",
        "- [x] ‸one",
        "- one  ‸",
      ],
      ...["- one\n  - in it‸", "> - one‸", "1. one\n2. two‸"],
    ])
      expect(byLines(text)).toBe(enter(text));
    expect(byLines("Words‸")).toBe("Words\n‸");
    expect(byLines("‸- one")).toBe("\n‸- one");
    expect(byLines("-5 degrees‸")).toBe("-5 degrees\n‸");
  });

  test("keys that were typed before there was an editor do what they would have done in it", () => {
    const typed = (text: string, keys: string) => {
      const { from, to, insert } = typedChange(text, text.length, keys);
      return text.slice(0, from) + insert + text.slice(to);
    };
    expect(typed("", "Words\n- one\ntwo\n\nEnd")).toBe("Words\n- one\n- two\n\nEnd");
    expect(typed("- [x] done\n- [ ] to", " do\nnext")).toBe("- [x] done\n- [ ] to do\n- [ ] next");
    expect(typed("1. one\n", "2. two\n\n")).toBe("1. one\n2. two\n\n");
    expect(typed("", "- one\n- two")).toBe("- one\n- two");
  });

  test("Tab moves an item below the one above it, with what is in it, and Shift-Tab back", () => {
    expect(press(indentItems, "- one\n- t‸wo\n  - in it\n- three")).toBe(
      "- one\n  - t‸wo\n    - in it\n- three",
    );
    expect(press(outdentItems, "- one\n  - t‸wo\n    - in it\n- three")).toBe(
      "- one\n- t‸wo\n  - in it\n- three",
    );
    expect(press(indentItems, "- one\n- ‸two\n- three‸")).toBe("- one\n  - ‸two\n  - three‸");
    expect(press(indentItems, "> - one\n> - t‸wo")).toBe("> - one\n>   - t‸wo");
  });

  test("numbers follow", () => {
    expect(press(indentItems, "1. one\n2. t‸wo\n3. three")).toBe("1. one\n   1. t‸wo\n2. three");
    expect(press(outdentItems, "1. one\n   1. t‸wo\n2. three")).toBe("1. one\n2. t‸wo\n3. three");
    const alike = (mark: string) => `1. a\n1. b\n1. c\n${mark}1. d‸`;
    expect(press(indentItems, alike(""))).toBe(alike("   "));
  });

  test("an item that cannot move stays, and the key means something else outside of lists", () => {
    expect(press(indentItems, "- o‸ne")).toBe("- o‸ne");
    expect(press(outdentItems, "- o‸ne")).toBe("- o‸ne");
    for (const key of [indentItems, outdentItems]) expect(press(key, "Wo‸rds\n\n- one")).toBe(false);
  });

  test("Mod-Enter ticks the tasks of the lines, and unticks them when all are ticked", () => {
    expect(press(tickTasks, "- [ ] o‸ne")).toBe("- [x] o‸ne");
    expect(press(tickTasks, "> 1. [x] o‸ne")).toBe("> 1. [ ] o‸ne");
    expect(press(tickTasks, "- [x] ‸one\n- [ ] two‸")).toBe("- [x] ‸one\n- [x] two‸");
    expect(press(tickTasks, "- o‸ne")).toBe(false);
  });
});
