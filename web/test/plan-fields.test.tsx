import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import type { UserEvent } from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { Memory } from "../../src/contract/memory.ts";
import "../src/features/records/remind-dialog.tsx";
import "../src/features/records/repeat-dialog.tsx";
import "../src/kit/modal.tsx";
import { RecordProperties } from "../src/features/records/record-facts.tsx";
import { show } from "./kit/show.tsx";
import { answer, connect, record, type Sent, written } from "./kit/wire.ts";

// The hour, the reminders and the repetition of a record, as its screen sets them.

connect();

const FRIDAY = { due_date: "2026-11-27", due_time: "17:00" };
const WEEKLY = { repeat: "FREQ=WEEKLY;BYDAY=FR", repeat_text: "every Friday", next_due: ["2026-12-04"] };

function open(fields: Partial<Memory>) {
  const memory = record(fields);
  answer({
    [`PATCH /api/memories/${memory.id}`]: ({ body }: Sent) => {
      const { apply_to: _, ...changed } = body as Record<string, unknown>;
      return { schema: Memory, body: { ...memory, ...changed }, headers: { "Change-Id": "1" } };
    },
  });
  return show(<RecordProperties memory={memory} />);
}

/** Opens the dialog that a row's button leads to. */
async function openDialog(person: UserEvent, name: "Reminders" | "Repeat") {
  await person.click(screen.getByRole("button", { name: new RegExp(`^${name}`) }));
  return within(await screen.findByRole("dialog", { name }));
}

async function save(person: UserEvent, dialog: Awaited<ReturnType<typeof openDialog>>) {
  await person.click(dialog.getByRole("button", { name: "Save" }));
  await screen.findByText("Saved");
}

const sent = () => written().map(({ body }) => body);

test("an hour is typed beside the day, saved when the field is left, and taken away again", async () => {
  // happy-dom tells of a new selection at once, which is an endless circle; browsers do so later.
  vi.spyOn(Selection.prototype, "collapse").mockReturnValue();
  const person = open({ due_date: "2026-11-27" });
  const [hour, minute] = screen.getAllByRole("spinbutton");
  await person.click(hour as HTMLElement);
  await person.keyboard("0930");
  expect(minute?.textContent).toBe("30");
  expect(sent()).toEqual([]);
  await person.tab();
  await waitFor(() => expect(sent()).toEqual([{ due_time: "09:30" }]));
});

test("without a day there is no hour", () => {
  open({});
  expect(screen.queryByRole("spinbutton")).toBeNull();
});

test("reminders are chosen from a few, each once, and repeated until it is done", async () => {
  const person = open({ ...FRIDAY, remind: [{ before: "PT0S" }] });
  const dialog = await openDialog(person, "Reminders");
  expect(dialog.queryByRole("button", { name: "At the due time" })).toBeNull();
  await person.click(dialog.getByRole("button", { name: "1 hour before" }));
  await person.click(dialog.getByRole("button", { name: "Remove: At the due time" }));
  await person.click(dialog.getByRole("checkbox", { name: /^Repeat every hour/ }));
  await save(person, dialog);
  expect(sent()).toEqual([{ remind: [{ before: "PT1H" }], remind_until_done: true }]);
});

test("a moment that is typed counts without Add, one that has passed is refused, and five are the most", async () => {
  const remind = ["PT0S", "PT10M", "PT1H", "P1D"].map((before) => ({ before }));
  const person = open({ ...FRIDAY, remind });
  const dialog = await openDialog(person, "Reminders");
  const at = dialog.getByLabelText("At");
  fireEvent.change(at, { target: { value: "2026-11-20T09:00" } });
  dialog.getByText("That time has passed.");
  expect(dialog.getByRole<HTMLButtonElement>("button", { name: "Save" }).disabled).toBe(true);
  fireEvent.change(at, { target: { value: "2026-11-27T08:30" } });
  await save(person, dialog);
  const all = [...remind, { at: "2026-11-27T08:30" }];
  expect(sent()).toEqual([{ remind: all, remind_until_done: false }]);
  cleanup();
  const again = open({ ...FRIDAY, remind: all });
  (await openDialog(again, "Reminders")).getByText("A record can have up to five reminders.");
});

test("without an hour reminders count from the morning of the day, and none is offered that nobody wants", async () => {
  const person = open({ due_date: "2026-11-27" });
  const dialog = await openDialog(person, "Reminders");
  dialog.getByText("No reminders yet.");
  const offered = dialog.getAllByRole("button", { name: /9:00$/ });
  expect(offered.map(({ textContent }) => textContent?.trim())).toEqual([
    "On the day at 9:00",
    "1 day before, at 9:00",
    "2 days before, at 9:00",
    "1 week before, at 9:00",
  ]);
});

test("a repetition is chosen, its next days are shown, and it begins on the first of them without a due date", async () => {
  const person = open({});
  const dialog = await openDialog(person, "Repeat");
  await person.click(dialog.getByRole("radio", { name: "Every weekday" }));
  dialog.getByText("Next: Mon 23 Nov, Tue 24 Nov, Wed 25 Nov", { exact: false });
  await save(person, dialog);
  expect(sent()).toEqual([
    { repeat: "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", repeat_from: "due", due_date: "2026-11-23" },
  ]);
});

test("a rule of one's own has its unit, its weekdays and its end, and can count from when it was done", async () => {
  const person = open(FRIDAY);
  const dialog = await openDialog(person, "Repeat");
  await person.click(dialog.getByRole("radio", { name: "Custom…" }));
  const every = dialog.getByRole("spinbutton", { name: "Every" });
  await person.clear(every);
  await person.type(every, "2");
  await person.click(dialog.getByRole("checkbox", { name: "Mon" }));
  await person.click(dialog.getByRole("radio", { name: "counted from completion" }));
  await person.selectOptions(dialog.getByRole("combobox", { name: "Ends" }), "after");
  await save(person, dialog);
  expect(sent()).toEqual([{ repeat: "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR;COUNT=10", repeat_from: "done" }]);
});

test("of what repeats it is asked whether another hour is for this one or for all that follow", async () => {
  const person = open({ ...FRIDAY, ...WEEKLY, missed: 3 });
  screen.getByText("Missed 3 times");
  screen.getByText("Next: Fri 4 Dec");
  await person.click(screen.getByRole("button", { name: "Remove the time" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Apply to this one only?" }));
  expect(sent()).toEqual([]);
  await person.click(dialog.getByRole("button", { name: "Only this one" }));
  await screen.findByText("Saved");
  expect(sent()).toEqual([{ due_time: null, apply_to: "this" }]);
});

test("another day is for this one only, and is not asked about", async () => {
  const person = open({ ...FRIDAY, ...WEEKLY });
  const due = screen.getByRole("textbox", { name: "Due" });
  await person.clear(due);
  await person.type(due, "tomorrow{Enter}");
  await screen.findByText("Saved");
  expect(sent()).toEqual([{ due_date: "2026-11-22" }]);
});

test("what repeats keeps a day: an empty one says how to end it, and is as it was when the field is left", async () => {
  const person = open({ ...FRIDAY, ...WEEKLY });
  const due = screen.getByRole<HTMLInputElement>("textbox", { name: "Due" });
  await person.clear(due);
  screen.getByText("A repeating record needs a due date. To stop it, choose “Once” under Repeats.");
  await person.type(due, "{Enter}");
  await person.tab();
  expect(due.value).toBe("Fri 27 Nov");
  expect(sent()).toEqual([]);
});

test("a rule without days shows those that it began on, and its days of a month are named as such", async () => {
  const start = { repeat: "FREQ=WEEKLY", repeat_start: "2026-11-27", repeat_text: "every week" };
  const person = open({ ...FRIDAY, ...start });
  const dialog = await openDialog(person, "Repeat");
  expect(dialog.getByRole<HTMLInputElement>("radio", { name: "Every Friday" }).checked).toBe(true);
  await person.click(dialog.getByRole("radio", { name: "Custom…" }));
  expect(dialog.getByRole<HTMLInputElement>("checkbox", { name: "Fri" }).checked).toBe(true);
  await person.selectOptions(dialog.getByRole("combobox", { name: "Unit" }), "month");
  const days = dialog.getByRole("combobox", { name: "On" });
  expect(
    within(days)
      .getAllByRole("option")
      .map(({ textContent }) => textContent),
  ).toEqual(["the 27th", "the fourth Friday", "the last Friday"]);
  await person.selectOptions(dialog.getByRole("combobox", { name: "Ends" }), "after");
  const times = dialog.getByRole("spinbutton", { name: "How many times" });
  await person.clear(times);
  await person.type(times, "1");
  expect(times.nextSibling?.textContent).toBe("time");
});

test("a repetition is ended by choosing once", async () => {
  const person = open({ ...FRIDAY, ...WEEKLY });
  const dialog = await openDialog(person, "Repeat");
  expect(dialog.getByRole<HTMLInputElement>("radio", { name: "Every Friday" }).checked).toBe(true);
  await person.click(dialog.getByRole("radio", { name: "Once" }));
  dialog.getByText("It won’t repeat after this one.");
  await save(person, dialog);
  expect(sent()).toEqual([{ repeat: null, repeat_from: null }]);
});
