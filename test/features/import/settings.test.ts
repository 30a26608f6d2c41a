import { expect, test } from "vitest";
import { getMeRoute } from "../../../src/features/auth/me-routes.ts";
import {
  createMemoryRoute,
  getMemoryRoute,
  listMemoriesRoute,
} from "../../../src/features/memories/routes.ts";
import { person } from "../../kit/client.ts";
import { send } from "../../kit/files.ts";
import { type Fields, fileOf, LINES, memory, PLANNED } from "../../kit/import-lines.ts";
import { rightAfter } from "../../kit/right-after.ts";

// The reminders of an account move with its time zone, which a file may change more than once, before or after its records.

const DAY = { due_date: "2099-01-06", repeat_start: "2099-01-06" };
const [berlin, tokyo]: Fields[] = ["Europe/Berlin", "Asia/Tokyo"].map((timezone) => ({
  ...LINES.settings,
  timezone,
}));
const slides = memory(1, { ...PLANNED, ...DAY });
const others = memory(2, { ...PLANNED, ...DAY, topic: "Other slides" });

const FILES = {
  "two zones": [berlin, tokyo],
  "two zones, then a record": [berlin, tokyo, others],
  "a record, then a zone": [others, tokyo],
  "a record between two zones": [berlin, others, tokyo],
  "a record that is there already, then a zone": [slides, tokyo],
};

/** Half an hour before nine in Tokyo. */
const KEPT = { due_time: "09:00", remind_at: "2099-01-05T23:30:00.000Z" };

test.for(Object.entries(FILES))("%s: what was planned stays at its hour", async ([, lines]) => {
  const ada = await person();
  expect(await send(ada, fileOf([slides]))).toMatchObject({ status: 200 });
  expect(await send(ada, fileOf(lines as Fields[]), "?mode=overwrite")).toMatchObject({ status: 200 });
  expect(await ada.ok(getMeRoute)).toMatchObject({ timezone: "Asia/Tokyo" });
  for (const { id } of [slides, ...(lines.includes(others) ? [others] : [])]) {
    const kept = await ada.ok(getMemoryRoute, { params: { memory_id: String(id) } });
    expect(kept).toMatchObject(KEPT);
  }
});

test("what is planned while a file moves the reminders stays at its hour, too", async () => {
  const ada = await person();
  const { topic, content, memory_type, due_date, due_time, remind } = slides as Fields & typeof slides;
  const json = { topic, content, memory_type, due_date, due_time, remind };
  await ada.ok(createMemoryRoute, { json });
  let late: { id: number } | undefined;
  const create = async () => {
    late = await ada.ok(createMemoryRoute, { json: { ...json, topic: "Later" } });
  };
  const imported = () => send(ada, fileOf([tokyo as Fields]), "?mode=overwrite");
  expect(await rightAfter("remind_at > ", create, imported)).toMatchObject({ status: 200 });
  const { items } = await ada.ok(listMemoriesRoute, {});
  expect(items.map(({ id }) => id)).toContain(late?.id);
  for (const one of items) expect(one).toMatchObject(KEPT);
});
