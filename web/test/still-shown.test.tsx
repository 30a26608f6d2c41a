import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { Element } from "hast";
import { expect, test } from "vitest";
import { ListItem, PreviousText, TaskCheckbox, TickableText } from "../src/features/document/tasks.tsx";

// A long text that has changed is shown as it was until it is known that it can be rendered; its tasks can be ticked all the
// same.

const itemAt = (text: string, name: string): Element => {
  const offset = text.indexOf(`- [ ] ${name}`);
  const point = { line: 1, column: 1, offset };
  return {
    ...{ type: "element", tagName: "li", properties: {} },
    children: [{ type: "text", value: name }],
    position: { start: point, end: point },
  };
};

function show(shown: string, text: string): number[] {
  const ticked: number[] = [];
  render(
    <TickableText text={text} onTick={(place) => ticked.push(place)} onCommit={() => {}}>
      <PreviousText shown={shown} text={text}>
        {["first", "second"].map((name) => (
          <ListItem key={name} node={itemAt(shown, name)}>
            <TaskCheckbox />
          </ListItem>
        ))}
      </PreviousText>
    </TickableText>,
  );
  return ticked;
}

const BEFORE = "- [ ] first\n\nSome words\n\n- [ ] second\n";

test("tasks in front of a change and behind it are ticked where they are now", async () => {
  const text = BEFORE.replace("words", "other words");
  const ticked = show(BEFORE, text);
  for (const name of ["first", "second"]) {
    const box = screen.getByRole<HTMLInputElement>("checkbox", { name });
    expect(box.disabled).toBe(false);
    await userEvent.click(box);
  }
  expect(ticked).toEqual([0, text.indexOf("- [ ] second")]);
});

test("a task that the change has taken away cannot be ticked", () => {
  show(BEFORE, BEFORE.replace("- [ ] second", "the second"));
  expect(screen.getByRole<HTMLInputElement>("checkbox", { name: "first" }).disabled).toBe(false);
  expect(screen.getByRole<HTMLInputElement>("checkbox", { name: "second" }).disabled).toBe(true);
});
