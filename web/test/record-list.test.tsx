import { act, render, screen, waitFor, within } from "@testing-library/react";
import { expect, onTestFinished, test, vi } from "vitest";
import { JobList } from "../../src/contract/jobs.ts";
import { Memory } from "../../src/contract/memory.ts";
import { MemoryBulkAnswer } from "../../src/contract/memory-bulk.ts";
import { TagList } from "../../src/contract/tags.ts";
import "../src/features/records/step-dialogs.tsx";
import "../src/kit/menu-open.tsx";
import "../src/kit/modal.tsx";
import JobsBar from "../src/features/jobs/jobs-bar.tsx";
import { useWithOptimisticChanges } from "../src/features/records/optimistic-changes.ts";
import { SelectionBar } from "../src/features/records/record-actions.tsx";
import { RecordList } from "../src/features/records/record-list.tsx";
import { applyStep } from "../src/features/records/steps.ts";
import { pendingSteps } from "../src/state/pending-steps.ts";
import { show } from "./kit/show.tsx";
import { allDone, answer, asked, connect, record, type Sent, written } from "./kit/wire.ts";

// Working off a list: its keys, its rows, what its dialogs ask. What the service makes of the steps, and that a step is
// taken back, is in test/e2e/web-records.test.ts.

connect();

type Operations = { operations: { operation: string; id: number }[] };

function List({ records }: { records: readonly Memory[] }) {
  const rows = useWithOptimisticChanges()(records).filter(({ status }) => status === "active");
  return (
    <RecordList label="Records" sections={[{ key: "all", title: "All", rows }]}>
      <p>Nothing is left</p>
    </RecordList>
  );
}

/** Answers every step: with what is refused, by the topic of its record. */
function open(records: Memory[], refused: Record<string, string> = {}) {
  answer({
    "POST /api/memories/bulk": ({ body }: Sent) => {
      const results = (body as Operations).operations.map(({ id }, index) => {
        const detail = refused[records.find((one) => one.id === id)?.topic ?? ""];
        return { index, id, ok: detail === undefined, ...(detail && { detail }) };
      });
      const failed = results.filter(({ ok }) => !ok).length;
      const succeeded = results.length - failed;
      return {
        schema: MemoryBulkAnswer,
        body: { results, succeeded, failed },
        headers: { "Change-Id": "1" },
      };
    },
  });
  return show(<List records={records} />);
}

const three = () => ["One", "Two", "Three"].map((topic) => record({ topic }));
const operations = () => written().map(({ body }) => (body as Operations).operations);
const focused = () => document.activeElement?.textContent;

test("j and k move, x selects, and a step is taken with what is selected", async () => {
  const records = three();
  const person = open(records);
  await person.keyboard("jjk");
  expect(focused()).toBe("One");
  await person.keyboard("xjx");
  await screen.findByText("2 selected");
  await person.keyboard("a");
  await screen.findByText("Archived 2 records");
  expect(operations()).toEqual([records.slice(0, 2).map(({ id }) => ({ operation: "archive", id }))]);
  expect(screen.queryByText(/selected$/)).toBeNull();
});

test("e resolves at once, Shift+E asks for a note, and the next record has the focus", async () => {
  const [first, second, third] = three() as [Memory, Memory, Memory];
  const person = open([first, second, third]);
  await person.keyboard("je");
  await screen.findByText("Resolved “One”");
  await waitFor(() => expect(focused()).toBe("Two"));
  await person.keyboard("{Shift>}E{/Shift}");
  const dialog = await screen.findByRole("dialog", { name: "Resolve" });
  await person.type(within(dialog).getByLabelText("Add a note (optional)"), "Sent as a PDF{Enter}");
  await screen.findByText("Resolved 2 records");
  expect(operations()).toEqual([
    [{ operation: "resolve", id: first.id }],
    [{ operation: "resolve", id: second.id, resolution_note: "Sent as a PDF" }],
  ]);
  await waitFor(() => expect(focused()).toBe("Three"));
});

test("t gives one record or the selected ones another day: typed, or tomorrow, or none", async () => {
  const [first, second, third] = three() as [Memory, Memory, Memory];
  const person = open([first, { ...second, due_date: "2026-11-20", due_time: "09:00" }, third]);
  await person.keyboard("jt");
  const day = await screen.findByLabelText("Due on…");
  screen.getByText("Enter a day, or choose one below.");
  expect(screen.queryByRole("button", { name: "No date" })).toBeNull();
  await person.type(day, "in 2 weeks");
  screen.getByText("Due on Saturday, 5 December 2026, in 14 days.");
  await person.keyboard("{Enter}");
  await screen.findByText("Moved “One” to Sat 5 Dec");

  await person.keyboard("xjxt");
  const dialog = await screen.findByRole("dialog", { name: "Reschedule 2 records" });
  await person.click(within(dialog).getByRole("button", { name: /^Tomorrow/ }));
  await screen.findByText("Moved 2 records to Sun 22 Nov");
  expect(screen.queryByText(/selected$/)).toBeNull();

  await person.keyboard("t");
  await person.click(await screen.findByRole("button", { name: "No date" }));
  await screen.findByText("Moved “Two” to no date");
  expect(operations()).toEqual([
    [{ operation: "update", id: first.id, due_date: "2026-12-05" }],
    [first, second].map(({ id }) => ({ operation: "update", id, due_date: "2026-11-22" })),
    [{ operation: "update", id: second.id, due_date: null, due_time: null }],
  ]);
});

test("project, tag and type of the selected records are changed together", async () => {
  const records = three().map((one, at) => ({ ...one, tags: at === 0 ? ["db"] : [] }));
  const ids = records.slice(0, 2).map(({ id }) => id);
  answer({ "GET /api/tags": () => ({ schema: TagList, body: { items: [], total: 0 } }) });
  const person = open(records);
  await person.keyboard("jxjxm");
  const dialog = await screen.findByRole("dialog", { name: "Move 2 records" });
  await person.type(within(dialog).getByLabelText("Project"), "Ares");
  within(dialog).getByText("“Ares” will be a new project.");
  await person.keyboard("{Enter}");
  await screen.findByText("Moved 2 records to Ares");
  await person.keyboard("kxjxl");
  await person.type(await screen.findByLabelText("Tag"), "Db{Enter}");
  await screen.findByText("Tagged “Two” #Db, 1 left unchanged");
  await person.keyboard("kxjx");
  await person.click(await screen.findByRole("button", { name: "More actions" }));
  await person.click(await screen.findByRole("menuitem", { name: "Change the type" }));
  await person.click(await screen.findByRole("button", { name: "Decision" }));
  await screen.findByText("Changed 2 records to decision");
  expect(operations()).toEqual([
    ids.map((id) => ({ operation: "update", id, project: "Ares" })),
    [{ operation: "update", id: ids[1], tags: ["Db"] }],
    ids.map((id) => ({ operation: "update", id, memory_type: "decision" })),
  ]);
});

test("a step that changes nothing says why, and which of the records it cannot be taken with", async () => {
  answer({ "GET /api/tags": () => ({ schema: TagList, body: { items: [], total: 0 } }) });
  const records = three().map((one) => ({ ...one, project: "Apollo", tags: ["db"], due_date: "2026-11-27" }));
  const [first, second] = records as [Memory, Memory];
  const person = open(records);
  await person.keyboard("jl");
  await person.type(await screen.findByLabelText("Tag"), "DB{Enter}");
  await screen.findByText("“One” already has the tag DB");
  await person.click(await screen.findByRole("button", { name: "Dismiss" }));
  await person.keyboard("xjxjxm");
  await person.type(await screen.findByLabelText("Project"), "Apollo{Enter}");
  await screen.findByText("All 3 are already in Apollo");
  const closed = { ...second, status: "resolved" as const };
  const reschedule = (rows: Memory[], day: string | null) => applyStep(rows, { action: "reschedule", day });
  expect(await reschedule([first, second], "2026-11-27")).toBe(true);
  await screen.findByText("Both are already due Fri 27 Nov");
  expect(await reschedule([first, closed], "2026-11-27")).toBe(false);
  await screen.findByText("“Two” can’t be moved in its current state. “One” is already due Fri 27 Nov");
  await reschedule([{ ...first, due_date: null }], null);
  await screen.findByText("“One” has no date");
  await applyStep([first, second], { action: "type", type: first.memory_type });
  await screen.findByText(`Both already have the type ${first.memory_type}`);
  await applyStep([{ ...first, project: null }], { action: "project", project: null });
  await screen.findByText("“One” has no project");
  expect(written()).toEqual([]);
});

test("a step whose tags have to be read first keeps its turn, and the later one is undone first", async () => {
  const [first, second] = three() as [Memory, Memory, Memory];
  const { promise: isTime, resolve: goOn } = Promise.withResolvers<void>();
  // Later steps of this file wait for it.
  onTestFinished(() => goOn());
  answer({
    [`GET /api/memories/${first.id}`]: async () => {
      await isTime;
      vi.setSystemTime(Date.now() + 1000);
      return { schema: Memory, body: first };
    },
  });
  const write = vi.spyOn(pendingSteps, "write");
  onTestFinished(() => write.mockRestore());
  open([first, second]);
  const { tags: _, ...stale } = first;
  const steps = [
    applyStep([stale], { action: "tag", tag: "urgent" }),
    applyStep([second], { action: "archive" }),
  ];
  await waitFor(() => expect(asked(`/api/memories/${first.id}`)).toHaveLength(1));
  goOn();
  await act(() => Promise.all(steps));
  expect(operations()).toEqual([
    [{ operation: "update", id: first.id, tags: ["urgent"] }],
    [{ operation: "archive", id: second.id }],
  ]);
  // Those without an answer are sent in the order of their times.
  const [tagged, archived] = write.mock.calls.flatMap(([saved]) => saved);
  expect(tagged?.at).toBeLessThanOrEqual(archived?.at ?? 0);
  const list = within(screen.getByRole("list", { name: "Notifications" }));
  const [older, newer] = list.getAllByRole("listitem").map(({ textContent }) => textContent);
  expect(older).toMatch(/^Tagged “One”/);
  expect(newer).toMatch(/^Archived “Two”/);
});

test("a tag is added to those that the record has, also when the list does not know them", async () => {
  const { tags: _, ...stale } = record({ topic: "Stale" });
  answer({
    "GET /api/tags": () => ({ schema: TagList, body: { items: [], total: 0 } }),
    [`GET /api/memories/${stale.id}`]: () => ({ schema: Memory, body: { ...stale, tags: ["db"] } }),
  });
  const person = open([stale as Memory]);
  await person.keyboard("jl");
  await person.type(await screen.findByRole("combobox", { name: "Tag" }), "urgent{Enter}");
  await screen.findByText("Tagged “Stale” #urgent");
  expect(operations()).toEqual([[{ operation: "update", id: stale.id, tags: ["db", "urgent"] }]]);
});

test("d says what a day was understood as, and why it cannot be one; Escape leaves all as it was", async () => {
  const person = open(three());
  await person.keyboard("jd");
  const day = await screen.findByLabelText("Defer until…");
  screen.getByText("Leave empty to defer indefinitely.");
  await person.type(day, "in 2 weeks");
  screen.getByText("Comes back on Saturday, 5 December 2026, in 14 days.");
  await person.clear(day);
  await person.type(day, "fri 17:00{Enter}");
  screen.getByText("Enter only a day, without a time: leave out “17:00”.");
  await person.clear(day);
  await person.type(day, "yesterday");
  screen.getByText("Friday, 20 November 2026 is not in the future.");
  await person.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  await waitFor(() => expect(focused()).toBe("One"));
  expect(written()).toEqual([]);
});

test("what is refused is back in its place, with the reason", async () => {
  const person = open(three(), { One: "A resolved record cannot be archived" });
  await person.keyboard("ja");
  await screen.findByText("“One”: A resolved record cannot be archived");
  screen.getByRole("link", { name: "One" });
});

test("a step shows before it is answered; when nothing is left, that is said", async () => {
  const only = record({ topic: "Only" });
  const person = open([only]);
  const held = Promise.withResolvers<void>();
  onTestFinished(() => held.resolve());
  answer({ "POST /api/memories/bulk": () => held.promise.then(() => allDone([only.id])) });
  await person.click(screen.getByRole("button", { name: "Archive Only" }));
  await screen.findByText("Nothing is left");
  expect(screen.queryByText("Archived “Only”")).toBeNull();
  held.resolve();
  await screen.findByText("Archived “Only”");
});

test("a step on many records says how far it is, and can be stopped", async () => {
  const records = Array.from({ length: 101 }, (_, at) => record({ topic: `Record ${at}` }));
  const held = Promise.withResolvers<void>();
  onTestFinished(() => held.resolve());
  answer({
    "GET /api/jobs": () => ({ schema: JobList, body: { items: [] } }),
    "POST /api/memories/bulk": ({ body }: Sent) =>
      held.promise.then(() => allDone((body as Operations).operations.map(({ id }) => id))),
  });
  const person = show(
    <main id="main">
      <JobsBar />
      <h1 tabIndex={-1}>All records</h1>
      <List records={records} />
    </main>,
  );
  await person.keyboard("jx");
  await person.click(await screen.findByText("Select all 101"));
  await person.keyboard("a");
  const progress = await screen.findByRole("progressbar", { name: "Archive 101 records" });
  expect(progress.closest("li")?.textContent).toContain("0 of 101");
  await person.click(screen.getByRole("button", { name: "Stop" }));
  await screen.findByRole("progressbar", { name: "Archive 101 records: stopping…" });
  expect(focused()).toBe("All records");
  held.resolve();
  await screen.findByText("Archived 100 records, 1 left unchanged");
  expect(screen.queryByRole("progressbar")).toBeNull();
  expect(operations().map(({ length }) => length)).toEqual([100]);
});

test("a row says what is known of a record, and offers what can be done with it", () => {
  open([
    record({ topic: "Late", due_date: "2026-11-20", project: "Apollo", tags: ["db"] }),
    record({ topic: "Stuck", memory_type: "blocker" }),
  ]);
  const [late, stuck] = screen.getAllByRole("listitem").filter((row) => row.hasAttribute("data-record"));
  expect(late?.textContent).toBe("Late#dbApollo1 day overdue");
  expect(stuck?.textContent).toBe("Blocker Stuck");
  const names = within(late as HTMLElement)
    .getAllByRole("button")
    .map((button) => button.getAttribute("aria-label"));
  expect(names).toEqual([
    "Resolve Late",
    ...["Reschedule Late", "Defer Late", "Still true Late", "Archive Late"],
    "Actions for Late",
  ]);
});

test("the actions of a row are in a dialog, too", async () => {
  const person = open(three());
  await person.click(screen.getByRole("button", { name: "Actions for Two" }));
  const dialog = await screen.findByRole("dialog", { name: "Two" });
  await person.click(within(dialog).getByRole("button", { name: "Still true" }));
  await screen.findByText("Confirmed “Two”");
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("the bar of the selection offers what applies to one of its records", () => {
  const [done, open] = [record({ topic: "Done", status: "resolved" }), record({ topic: "Open" })];
  const bar = (rows: Memory[]) => (
    <SelectionBar rows={rows} all={rows} onStep={() => {}} onSelect={() => {}} />
  );
  const names = () => screen.getAllByRole("button").map(({ textContent }) => textContent);
  const { rerender } = render(bar([done]));
  expect(names()).toEqual(["Reopen", "Move to project", "", "Clear"]);
  rerender(bar([done, open]));
  expect(names()).toEqual(["Resolve", "Reschedule", "Defer", "Reopen", "Move to project", "", "Clear"]);
});

test("what is worked off can be ticked; a decision or a preference has the icon of its kind", () => {
  const kinds = ["commitment", "blocker", "decision", "preference", "pattern", "context"] as const;
  open(kinds.map((memory_type) => record({ topic: `A ${memory_type}`, memory_type })));
  const ticks = screen
    .getAllByRole("button", { name: /^Resolve/ })
    .map((tick) => tick.getAttribute("aria-label"));
  expect(ticks).toEqual(["Resolve A commitment", "Resolve A blocker"]);
});

test("keys act on no record while something else has the focus that the screen lists", async () => {
  const person = show(
    <>
      <List records={three()} />
      <ol>
        <li>
          <a href="/documents/1">Plan</a>
        </li>
      </ol>
    </>,
  );
  await person.keyboard("j");
  screen.getByRole("link", { name: "Plan" }).focus();
  await person.keyboard("xa");
  expect(screen.queryByText("1 selected")).toBeNull();
  expect(written()).toEqual([]);
  await person.keyboard("kx");
  await screen.findByText("1 selected");
});
