import { expect, test } from "vitest";
import { filingText } from "../src/features/document/what-changed.ts";
import { describeEventChanges, memoryStates } from "../src/features/records/version-fields.ts";
import { record } from "./kit/wire.ts";

const TODAY = "2026-11-23";
const at = (minute: number) => `2026-11-23T10:0${minute}:00.000Z`;

test("an event says what it changed, as long as the states before and after it are kept", () => {
  const now = record({
    ...{ topic: "Send the slides", due_date: "2026-11-27", project: null, tags: ["talk"] },
    ...{ version: 4, updated_at: at(4), created_at: at(1) },
  });
  const version = (number: number, fields: object) => ({
    ...now,
    version: number,
    created_at: at(number),
    ...fields,
  });
  const states = memoryStates(now, [
    version(3, {}),
    version(2, { due_date: null, project: "apollo", tags: [] }),
  ]);
  const event = (minute: number) => ({ event: "updated", at: at(minute) }) as never;
  expect(describeEventChanges(states, event(4), TODAY)).toBe("the text");
  expect(describeEventChanges(states, event(3), TODAY)).toBe(
    "due → Fri 27 Nov, project → none, tags → #talk",
  );
  expect(describeEventChanges(states, event(2), TODAY)).toBeUndefined();
});

test("what a version changed besides its text is one sentence", () => {
  const differences = [
    { field: "title", from: "Plan", to: "Trip" },
    { field: "folder", from: "/", to: "Trips/New" },
    { field: "tags", added: ["Home"], removed: ["b"] },
  ];
  expect(filingText(differences)).toBe("Renamed from “Plan”, moved to Trips/New, tags: +Home −b");
  expect(filingText(differences.slice(2))).toBe("Tags: +Home −b");
});
