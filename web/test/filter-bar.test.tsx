import { screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { FilterBar } from "../src/features/records/filter-bar.tsx";
import { parseFilters, toRecordQuery } from "../src/features/records/filters.ts";
import { show } from "./kit/show.tsx";

const open = (search = "") => {
  const set = vi.fn();
  const filters = parseFilters(new URLSearchParams(search));
  const person = show(<FilterBar filters={filters} projects={["Apollo", "Zeus"]} set={set} />);
  return { person, set };
};

test("a filter is chosen from its list, and a button takes it away", async () => {
  const { person, set } = open("?type=decision&tag=db");
  await person.selectOptions(screen.getByRole("combobox", { name: "Project" }), "Zeus");
  expect(set).toHaveBeenLastCalledWith("project", "Zeus");
  await person.click(screen.getByRole("button", { name: "Any type" }));
  expect(set).toHaveBeenLastCalledWith("type", "");
  await person.click(screen.getByRole("button", { name: "Any tag instead of db" }));
  expect(set).toHaveBeenLastCalledWith("tag", "");
  expect(screen.queryByRole("button", { name: "Any project" })).toBeNull();
});

test("any status is a filter of its own, because active ones are shown without one", async () => {
  const { person, set } = open();
  await person.click(screen.getByRole("button", { name: "Any status" }));
  expect(set).toHaveBeenLastCalledWith("status", "all");
});

test("a project that the list does not have is shown all the same", () => {
  open("?project=Hermes");
  expect(screen.getByRole<HTMLSelectElement>("combobox", { name: "Project" }).value).toBe("Hermes");
});

test("words are looked for when typing pauses, once", async () => {
  const { person, set } = open();
  await person.type(screen.getByRole("searchbox", { name: "Text in the record" }), " bill ");
  await vi.waitFor(() => expect(set.mock.calls).toEqual([["q", "bill"]]));
});

test("filters in the address are what the service is asked for", () => {
  const filters = parseFilters(
    new URLSearchParams("?status=all&due=week&q=%20x%20&scope=work&sort=due_date"),
  );
  expect(toRecordQuery(filters, "2026-11-21")).toEqual({
    q: "x",
    scope: "work",
    sort: "due_date",
    due_after: "2026-11-21",
    due_before: "2026-11-29",
  });
});
