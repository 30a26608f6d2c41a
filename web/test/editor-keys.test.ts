import { EditorSelection, EditorState, type StateCommand } from "@codemirror/state";
import { describe, expect, test } from "vitest";
import { enterKey, markdown } from "../src/features/document/editor/language.ts";
import { indentItems, outdentItems } from "../src/features/document/editor/lists.ts";
import { cellBelow, nextCell, previousCell } from "../src/features/document/editor/table-keys.ts";
import { tickTasks } from "../src/features/document/editor/task-box.ts";

// What keys do in tables and lists. `‸` is the cursor; between two of them is what is selected.

function stateOf(text: string): EditorState {
  const [before = "", selected = "", after] = text.split("‸");
  const doc = before + selected + (after ?? "");
  const selection = EditorSelection.range(
    before.length,
    before.length + (after === undefined ? 0 : selected.length),
  );
  return EditorState.create({ doc, selection: EditorSelection.create([selection]), extensions: markdown() });
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
function press(command: StateCommand, text: string): string | false {
  let state = stateOf(text);
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

  test("a key means something else outside of it", () => {
    for (const key of [nextCell, previousCell, cellBelow])
      expect(press(key, "Some ‸words | here")).toBe(false);
  });
});

describe("in a list", () => {
  const enter = (text: string) => press(enterKey, text);

  test("Enter goes on with items, tasks and quotations, and an empty one ends them", () => {
    expect(enter("- one‸")).toBe("- one\n- ‸");
    expect(enter("- [x] one‸")).toBe("- [x] one\n- [ ] ‸");
    expect(enter("> one‸")).toBe("> one\n> ‸");
    expect(enter("1. one‸\n2. two")).toBe("1. one\n2. ‸\n3. two");
    expect(enter("- one\n- two\n- ‸")).toBe("- one\n- two\n‸");
    expect(enter("- one\n- [ ] two\n- [ ] ‸")).toBe("- one\n- [ ] two\n‸");
    expect(enter("- one\n- ‸")).toBe("- one\n‸");
    expect(enter("> one\n> ‸")).toBe("> one\n‸");
    expect(enter("Words‸")).toBe(false);
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
