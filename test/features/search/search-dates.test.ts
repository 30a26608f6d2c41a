import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addDays, daysBetween, localDay } from "../../../src/contract/days.ts";
import { datesIn } from "../../../src/shared/query/dates.ts";
import { parseRelativeSpan } from "../../../src/shared/query/relative-days.ts";
import { type Client, person } from "../../kit/client.ts";
import { remember, search, titleOf, write } from "../../kit/search.ts";

const SUNDAY = "2026-11-22";
const namesIn = (text: string, today?: string) => datesIn(text, today).map(({ name }) => name);

describe("the dates of a query", () => {
  test.for([
    ["on May 3rd, 2026 and 2026-05-04", "2026-05-03 2026-05-04"],
    ["due in May, by June, in July 2023, on 3 August", "05 06 2023-07 08-03"],
    ["2023-05 or sept 2023", "2023-05 2023-09"],
    ["what did Anna say yesterday?", "2026-11-21"],
    ["last May, this month", "2026-05 2026-11"],
    ["last November, next November, this December", "2025-11 2027-11 2026-12"],
    ["last Friday, this Friday, next Friday", "2026-11-20 2026-11-27"],
    ["last Sunday", "2026-11-15"],
    ["last week, two weeks ago", "2026-11-09/2026-11-15 2026-11-02/2026-11-08"],
    ["3 days ago, a month ago, last year", "2026-11-19 2026-10 2025"],
    ["99999 years ago, 0 days ago, I may go, 2026-13, 31 toString", ""],
    ["constructor ago, last constructor, a constructor week ago, constructor Monday", ""],
    ["9999 years ago", ""],
  ] as const)("%s", ([text, names]) => {
    expect(namesIn(text, SUNDAY).join(" ")).toBe(names);
  });

  test("need the person's day if they are relative", () => {
    expect(namesIn("last May, yesterday, 3 May 2026")).toEqual(["2026-05-03"]);
  });

  test("are the nearest such weekday or month before any day", () => {
    const weekdays = "monday tuesday wednesday thursday friday saturday sunday".split(" ");
    const months =
      "january february march april may june july august september october november december".split(" ");
    const Days = fc.integer({ min: 0, max: 100_000 }).map((days) => addDays("1900-01-01", days));
    const property = fc.property(Days, fc.nat(6), fc.nat(11), (today, weekday, month) => {
      const span = parseRelativeSpan(today, ["last", weekdays[weekday] ?? ""]);
      const day = span && "days" in span ? (span.days[0] ?? "") : "";
      expect(daysBetween(day, today)).toBeGreaterThanOrEqual(1);
      expect(daysBetween(day, today)).toBeLessThanOrEqual(7);
      expect((new Date(day).getUTCDay() + 6) % 7).toBe(weekday);
      const found = parseRelativeSpan(today, ["last", months[month] ?? ""]);
      const last = found && "month" in found ? found.month : "";
      expect(last < today.slice(0, 7)).toBe(true);
      expect(daysBetween(`${last}-01`, today)).toBeLessThanOrEqual(397);
      expect(Number(last.slice(5))).toBe(month + 1);
    });
    fc.assert(property, { numRuns: 300 });
  });
});

/** The topic of the first record that a query finds. */
const first = async (client: Client, q: string) =>
  (await search(client, q, { type: "memories" })).results.map(titleOf)[0];

describe("a date in a text", () => {
  const TEXTS = {
    written: "Melanie ran the charity race on 3 May and was proud",
    reversed: "On May 3rd, 2026 Caroline went to the support group",
    numbers: "2026-05-03: painted a sunrise",
    short: "Dinner with Grace, 3 Sept",
    other: "On 4 May they went camping; 13 May was a Wednesday",
  };

  test("is found in any spelling, before texts with other dates", async () => {
    const ada = await person();
    for (const [topic, content] of Object.entries(TEXTS)) await remember(ada, topic, { content });
    for (const [q, expected] of [
      ["3 May", ["numbers", "reversed", "written"]],
      ["May 3rd", ["numbers", "reversed", "written"]],
      ["2026-05-03", ["numbers", "reversed", "written"]],
      ["What did Caroline do on 3 May 2026?", ["reversed"]],
      ["september 3rd", ["short"]],
      ["2026-05-13", ["other"]],
    ] as const) {
      const topics = (await search(ada, q, { type: "memories" })).results.map(titleOf);
      expect([q, topics.slice(0, expected.length).toSorted()]).toEqual([q, expected]);
    }
  });

  test("is reported where it was found, and other texts are not left out", async () => {
    const ada = await person();
    await write(ada, "written", TEXTS.written);
    await write(ada, "may", "Three people came");
    const { results, total } = await search(ada, "2026-05-03 race people", { explain: "true" });
    expect(total).toBe(2);
    expect(results[0]?.matched).toEqual(["race", "2026-05-03"]);
    expect(results[0]?.explanation).toContainEqual(
      expect.objectContaining({ because: "date", words: ["2026-05-03"] }),
    );
    expect((await search(ada, "2026-05-03")).results[0]?.matched).toEqual(["2026-05-03"]);
  });

  test("is found by its month, however it is written", async () => {
    const ada = await person();
    await remember(ada, "Anna, 2023-05-08", { content: "We planted the tomatoes" });
    await remember(ada, "Anna, 9 June, 2023", { content: "We may plant them" });
    await remember(ada, "Tom, May 12th, 2023", { content: "We planted the beans" });
    expect(await first(ada, "What did Anna plant in May 2023?")).toBe("Anna, 2023-05-08");
    expect(await first(ada, "Which beans did Tom plant in 2023-05?")).toBe("Tom, May 12th, 2023");
    const { interpreted } = await search(ada, "What did they plant in May?", { type: "memories" });
    expect(interpreted?.words).toEqual(["plant", "may"]);
  });

  test.for(["Pacific/Kiritimati", "Pacific/Pago_Pago"])(
    "and a due date are found from the person's own day: %s",
    async (timezone) => {
      const ada = await person({ timezone });
      const today = localDay(new Date(), timezone);
      for (const [days, what] of [
        [0, "was repaired"],
        [-1, "broke"],
        [-2, "hummed"],
      ] as const)
        await remember(ada, `boiler ${days}`, { content: `${addDays(today, days)}: the boiler ${what}` });
      const { results } = await search(ada, "boiler yesterday", { type: "memories", explain: "true" });
      expect(results.map(titleOf)[0]).toBe("boiler -1");
      expect(results[0]?.explanation).toContainEqual(
        expect.objectContaining({ because: "date", words: [addDays(today, -1)] }),
      );
      expect(await first(ada, "boiler today")).toBe("boiler 0");
      const bob = await person({ timezone });
      for (const days of [-1, 0, 1, 14])
        await remember(bob, `in ${days}`, { memory_type: "commitment", due_date: addDays(today, days) });
      expect(await first(bob, "what is due today?")).toBe("in 0");
      expect(await first(bob, "due tomorrow")).toBe("in 1");
      expect(await first(bob, "commitments due yesterday")).toBe("in -1");
    },
  );
});

test("a question with `did` finds the past forms of its verb, and shows them", async () => {
  const ada = await person();
  await remember(ada, "group", { content: "Caroline went to the support group" });
  await remember(ada, "other", { content: "Caroline is in a support group, go on" });
  const ask = (q: string) => search(ada, q, { type: "memories", highlight: "mark" });
  const { total, results } = await ask("When did Caroline go to the support group?");
  expect(total).toBe(2);
  expect(results.map(({ snippet }) => snippet).join()).toContain("<mark>went</mark>");
  expect((await ask("Where did she went?")).results[0]?.snippet).toContain("went");
  expect([(await ask("go")).total, (await ask("did go")).total]).toEqual([1, 2]);
});
