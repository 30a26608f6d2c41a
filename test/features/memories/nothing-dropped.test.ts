import { expect, test } from "vitest";
import {
  changeMemoriesRoute,
  createMemoryRoute,
  listMemoriesRoute,
} from "../../../src/features/memories/routes.ts";
import { person } from "../../kit/client.ts";
import { initialize, stateless, use } from "../../kit/mcp.ts";

// An hour, a repetition, a zone or an attachment of a new record is kept, or the record is refused with its name: it is
// never a plain day without a word.

const RECORD = { memory_type: "commitment", topic: "Call Grace", content: "About the slides" } as const;

/** What is sent besides, and the field that the refusal of a request and that of a tool name. */
const REFUSED: [fields: object, request: string, tool: string][] = [
  [{ due_date: "2099-12-24T17:00" }, "due_date", "due_date"],
  [{ due_date: "2099-12-24 17:00" }, "due_date", "due_date"],
  [{ due_date: "2099-12-24T17:00:00+01:00" }, "due_date", "due_date"],
  [{ due: "2099-12-24T17:00Z" }, "due", "due_date"],
  [{ due_date: "2099-12-24", due_time: "5 pm" }, "due_time", "due_time"],
  [{ due_date: "2099-12-24", due_time: "17:00+01:00" }, "due_time", "due_time"],
  [{ due_date: "2099-12-24", due_time: "17:00 CET" }, "due_time", "due_time"],
  [{ due_time: "17:00" }, "due_time", "due_time"],
  [{ due_date: "2099-12-24", time: "17:00" }, "time", "time"],
  [{ due_date: "2099-12-24", hour: 17 }, "hour", "hour"],
  [{ due_date: "2099-12-24", timezone: "Europe/Berlin" }, "timezone", "timezone"],
  [{ due_date: "2099-12-24", repeat: "now and then" }, "repeat", "repeat"],
  [{ due_date: "2099-12-24", every: "week" }, "every", "every"],
  [{ due_date: "2099-12-24", attachments: ["slides.pdf"] }, "attachments", "files"],
  [{ due_date: "2099-12-24", attachment: "slides.pdf" }, "attachment", "attachment"],
];

test("what is not understood of a record's time refuses it by name", async () => {
  const ada = await person();
  const askers = [stateless(ada), await initialize(ada)];
  for (const [fields, request, tool] of REFUSED) {
    const json = { ...RECORD, ...fields };
    const what = JSON.stringify(fields);
    const { status, detail } = await ada.refusal(createMemoryRoute, { json: json as never });
    expect([status, detail], what).toEqual([422, expect.stringMatching(new RegExp(`^${request}: `))]);
    const operations = { operations: [{ operation: "create", ...json }] };
    const bulk = await ada.call(changeMemoriesRoute, { json: operations as never });
    expect(bulk.text, what).toMatch(new RegExp(`\\b${request}: `));
    for (const asker of askers) {
      const one = await use(asker, "remember", json);
      expect(one.refused, what).toMatch(new RegExp(`^${tool}\\b[^:]*: `));
      const { results } = (await use(asker, "remember", { records: [json] })) as {
        results: { detail?: string }[];
      };
      expect(results[0]?.detail, what).toMatch(/^(?:due|time|hour|repeat|every|files|attach)/);
    }
  }
  expect((await ada.ok(listMemoriesRoute)).total).toBe(0);
});

test("what is understood of it is kept", async () => {
  const ada = await person();
  const json = { ...RECORD, due_date: "2099-12-24", due_time: "17:00", repeat: "FREQ=WEEKLY" };
  const kept = { due_date: "2099-12-24", due_time: "17:00", repeat: expect.stringContaining("FREQ=WEEKLY") };
  expect(await ada.ok(createMemoryRoute, { json })).toMatchObject(kept);
  const asker = stateless(ada);
  const words = { topic: "Call Alan", recurrence: "every week", reminder: "PT30M" };
  const { memory } = await use(asker, "remember", { ...json, repeat: undefined, ...words });
  expect(memory).toMatchObject({
    due_time: "17:00",
    repeat_text: "every week",
    remind: [expect.any(String)],
  });
});
