import { act, fireEvent, screen } from "@testing-library/react";
import { type ReactNode, useState } from "react";
import { expect, test, vi } from "vitest";
import { InlineField } from "../src/features/document/properties/inline-field.tsx";
import { Title } from "../src/features/document/title.tsx";
import { show } from "./kit/show.tsx";

// Texts that become a field when they are pressed. What they save is in test/e2e/web-properties.test.ts.

type Of = (text: string, onDone: (typed: string) => void) => ReactNode;

const property: Of = (text, onDone) => (
  <InlineField label="status" text={text} onDone={onDone}>
    {text}
  </InlineField>
);
const title: Of = (text, onDone) => <Title title={text} onRename={onDone} />;
const KINDS = [
  { name: "a property", of: property },
  { name: "a title", of: title },
];

/** Opens the field of a text. */
async function open(of: Of) {
  const onDone = vi.fn();
  let write: (text: string) => void = () => {};
  const Part = () => {
    const [text, setText] = useState("old");
    write = setText;
    return of(text, onDone);
  };
  const person = show(<Part />);
  await person.click(screen.getByRole("button"));
  return { person, onDone, change: (text: string) => act(() => write(text)) };
}

test.for(KINDS)("$name that was changed elsewhere meanwhile is not written back", async ({ of }) => {
  const { person, onDone, change } = await open(of);
  change("new");
  await person.keyboard("{Enter}");
  screen.getByRole("button", { name: /new$/ });
  expect(onDone).not.toHaveBeenCalled();
});

test.for(KINDS)("the field of $name stays while another window is looked at", async ({ of }) => {
  const { person, onDone } = await open(of);
  await person.keyboard("more");
  const field = screen.getByRole<HTMLInputElement>("textbox");
  fireEvent.blur(field);
  expect(onDone).not.toHaveBeenCalled();
  expect(field.value).toBe("more");
  await person.tab();
  expect(onDone.mock.calls[0]?.[0]).toBe("more");
});
