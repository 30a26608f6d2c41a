import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addDays, daysBetween, localDay } from "../../../src/contract/days.ts";
import { createMemoryRoute } from "../../../src/features/memories/routes.ts";
import { datesIn } from "../../../src/shared/query/dates.ts";
import { parseRelativeSpan } from "../../../src/shared/query/relative-days.ts";
import { type Client, person } from "../../kit/client.ts";
import { search } from "../../kit/search.ts";

// A Sunday.
const TODAY = "2026-11-22";
const namesIn = (text: string, today?: string) => datesIn(text, today).map(({ name }) => name);

describe("the dates of a query", () => {
  test.for([
    ["3 May", ["05-03"]],
    ["on May 3rd, 2026 and 2026-05-04", ["2026-05-03", "2026-05-04"]],
    ["in May 2023", ["2023-05"]],
    ["due in May, by June, in July 2023, on 3 August", ["05", "06", "2023-07", "08-03"]],
    ["2023-05 or sept 2023", ["2023-05", "2023-09"]],
    ["what did Anna say yesterday?", ["2026-11-21"]],
    ["last May, this month", ["2026-05", "2026-11"]],
    ["last November", ["2025-11"]],
    ["next November", ["2027-11"]],
    ["this December", ["2026-12"]],
    ["last Friday, this Friday, next Friday", ["2026-11-20", "2026-11-27"]],
    ["last Sunday", ["2026-11-15"]],
    ["last week", ["2026-11-09/2026-11-15"]],
    ["two weeks ago", ["2026-11-02/2026-11-08"]],
    ["3 days ago", ["2026-11-19"]],
    ["a month ago, last year", ["2026-10", "2025"]],
    ["99999 years ago, 0 days ago, I may go, 2026-13, 31 toString", []],
    ["constructor ago, last constructor, a constructor week ago, constructor Monday", []],
    ["9999 years ago", []],
  ] as const)("%s", ([text, names]) => {
    expect(namesIn(text, TODAY)).toEqual(names);
  });

  test("from the person's day are none without it", () => {
    expect(namesIn("last May, yesterday, 3 May 2026")).toEqual(["2026-05-03"]);
  });

  test("are the nearest such day or month before or after any day", () => {
    const weekdays = "monday tuesday wednesday thursday friday saturday sunday".split(" ");
    const Days = fc.integer({ min: 0, max: 100_000 }).map((days) => addDays("1900-01-01", days));
    const property = fc.property(
      Days,
      fc.integer({ min: 0, max: 6 }),
      fc.integer({ min: 1, max: 12 }),
      (today, number, month) => {
        const span = parseRelativeSpan(today, ["last", weekdays[number] ?? ""]);
        const day = span && "days" in span ? (span.days[0] ?? "") : "";
        expect(daysBetween(day, today)).toBeGreaterThanOrEqual(1);
        expect(daysBetween(day, today)).toBeLessThanOrEqual(7);
        expect((new Date(day).getUTCDay() + 6) % 7).toBe(number);
        const name = new Date(Date.UTC(2000, month - 1)).toLocaleString("en", {
          month: "long",
          timeZone: "UTC",
        });
        const found = parseRelativeSpan(today, ["last", name.toLowerCase()]);
        const last = found && "month" in found ? found.month : "";
        expect(last < today.slice(0, 7)).toBe(true);
        expect(daysBetween(`${last}-01`, today)).toBeLessThanOrEqual(397);
        expect(Number(last.slice(5))).toBe(month);
      },
    );
    fc.assert(property, { numRuns: 300 });
  });
});

describe("a question", () => {
  const remember = (client: Client, topic: string, content: string) =>
    client.ok(createMemoryRoute, { json: { memory_type: "context", topic, content } });
  const first = async (client: Client, q: string) => {
    const [found] = (await search(client, q, { type: "memories" })).results;
    return found && "memory" in found ? found.memory.topic : undefined;
  };

  test("about a month finds its days, however they are written", async () => {
    const ada = await person();
    await remember(ada, "Anna, 2023-05-08", "We planted the tomatoes");
    await remember(ada, "Anna, 9 June, 2023", "We may plant them");
    await remember(ada, "Tom, May 12th, 2023", "We planted the beans");
    expect(await first(ada, "What did Anna plant in May 2023?")).toBe("Anna, 2023-05-08");
    expect(await first(ada, "Which beans did Tom plant in 2023-05?")).toBe("Tom, May 12th, 2023");
    const { interpreted } = await search(ada, "What did they plant in May?", { type: "memories" });
    expect(interpreted?.words).toEqual(["plant", "may"]);
  });

  test.for(["Pacific/Kiritimati", "Pacific/Pago_Pago"])(
    "counts days from the person's own: %s",
    async (timezone) => {
      const ada = await person({ timezone });
      const today = localDay(new Date(), timezone);
      await remember(ada, "today", `${today}: the boiler was repaired`);
      await remember(ada, "day before", `${addDays(today, -1)}: the boiler broke`);
      await remember(ada, "two days ago", `${addDays(today, -2)}: the boiler hummed`);
      const { results } = await search(ada, "boiler yesterday", { type: "memories", explain: "true" });
      const [found] = results;
      expect(found && "memory" in found && found.memory.topic).toBe("day before");
      expect(found?.explanation).toContainEqual(
        expect.objectContaining({ because: "date", words: [addDays(today, -1)] }),
      );
      expect(await first(ada, "boiler today")).toBe("today");
    },
  );

  test("with `did` finds the past forms of its verb, and shows them", async () => {
    const ada = await person();
    await remember(ada, "group", "Caroline went to the support group");
    await remember(ada, "other", "Caroline is in a support group, go on");
    const found = await search(ada, "When did Caroline go to the support group?", {
      type: "memories",
      highlight: "mark",
    });
    const snippets = found.results.map(({ snippet }) => snippet);
    expect(found.total).toBe(2);
    expect(snippets.some((snippet) => snippet.includes("<mark>went</mark>"))).toBe(true);
    expect((await search(ada, "Where did she went?", { type: "memories" })).results[0]?.snippet).toContain(
      "went",
    );
    expect((await search(ada, "go", { type: "memories" })).total).toBe(1);
    expect((await search(ada, "did go", { type: "memories" })).total).toBe(2);
  });
});
