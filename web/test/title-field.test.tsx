import { fireEvent, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, test, vi } from "vitest";
import { TitleField } from "../src/features/document/title-field.tsx";
import { show } from "./kit/show.tsx";

// The way from the title into the text. That the text takes the cursor is in test/e2e/web-writing.test.ts.

function open(title = "") {
  const done = { onChange: vi.fn(), onText: vi.fn(), onLeave: vi.fn() };
  const Field = () => {
    const [written, setWritten] = useState(title);
    const change = (next: string) => {
      done.onChange(next);
      setWritten(next);
    };
    return <TitleField title={written} autoFocus {...done} onChange={change} />;
  };
  const person = show(<Field />);
  return { person, field: screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Title" }), ...done };
}

test("a new title has the focus, Enter leads into the text and is not written, Escape leaves", async () => {
  const { person, field, onText, onChange, onLeave } = open();
  expect(document.activeElement).toBe(field);
  await person.keyboard("Plan{Enter}");
  expect(onText.mock.calls).toEqual([[""]]);
  expect(onChange).toHaveBeenLastCalledWith("Plan");
  await person.keyboard("{Shift>}{Enter}{/Shift}{ArrowDown}");
  expect(onText).toHaveBeenCalledTimes(3);
  expect(field.value).toBe("Plan");
  await person.keyboard("{Escape}");
  expect(onLeave).toHaveBeenCalledOnce();
});

test("an input method ends a word with Enter, which is none of ours", () => {
  const { field, onText } = open("漢字");
  fireEvent.keyDown(field, { key: "Enter", isComposing: true });
  fireEvent.keyDown(field, { key: "ArrowDown", isComposing: true });
  expect(onText).not.toHaveBeenCalled();
});

test("a telephone sends a line break instead of a key", () => {
  const { field, onText, onChange } = open("Plan");
  fireEvent.input(field, { target: { value: "Plan\n" }, inputType: "insertLineBreak" });
  expect(onText.mock.calls).toEqual([[""]]);
  expect(onChange).toHaveBeenLastCalledWith("Plan");
});

test("of what is pasted, the first line is the title and the rest goes into the text", async () => {
  const { field, onText } = open();
  const person = userEvent.setup();
  await person.click(field);
  await person.paste("# Pasted\n\n- one\n- two");
  expect(field.value).toBe("Pasted");
  expect(onText.mock.calls).toEqual([["- one\n- two"]]);
});
