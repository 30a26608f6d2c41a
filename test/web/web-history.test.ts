import fc from "fast-check";
import { expect, test } from "vitest";
import { resolvedPerSpan, resolvedPerWeek } from "../../web/src/features/history/weeks.ts";
import { sharedDocument } from "../../web/src/features/share/shared.ts";
import { addDays } from "../../web/src/kit/dates.ts";

const ZONE = { timezone: "Europe/Berlin", today: "2026-11-21" };

/** Records as a history lists them: closed last first, and changed when they were closed or later. */
const history = fc
  .array(fc.record({ ago: fc.nat(60), backdated: fc.nat(20), edited: fc.nat(5) }), {
    minLength: 1,
    maxLength: 40,
  })
  .map((records) =>
    records
      .toSorted((a, b) => a.ago - b.ago)
      .map(({ ago, backdated, edited }) => ({
        resolved_at: `${addDays(ZONE.today, -ago - backdated)}T10:00:00Z`,
        updated_at: `${addDays(ZONE.today, Math.min(0, -ago + edited))}T11:00:00Z`,
      })),
  );

test("a week that is shown is counted completely, however few of the records are known", () => {
  fc.assert(
    fc.property(history, fc.nat(40), (all, most) => {
      const known = all.slice(0, Math.max(1, most));
      const truth = new Map(
        resolvedPerWeek(all, all.length, ZONE).map(({ monday, count }) => [monday, count]),
      );
      for (const { monday, count } of resolvedPerWeek(known, all.length, ZONE)) {
        if (truth.has(monday)) expect(count).toBe(truth.get(monday));
        else expect(count).toBe(0);
      }
    }),
  );
});

test("weeks begin on Monday in the person's time zone, and this one is the last", () => {
  const late = { resolved_at: "2026-11-15T23:30:00Z", updated_at: "2026-11-15T23:30:00Z" };
  expect(resolvedPerWeek([late], 1, ZONE)).toEqual([{ monday: "2026-11-16", count: 1 }]);
  expect(resolvedPerWeek([late], 1, { ...ZONE, timezone: "UTC" })).toEqual([
    { monday: "2026-11-09", count: 1 },
    { monday: "2026-11-16", count: 0 },
  ]);
});

test("each record falls into one span", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(400)), (days) => {
      const spans = resolvedPerSpan(days.map((days_to_resolve) => ({ days_to_resolve })));
      expect(spans.reduce((sum, { count }) => sum + count, 0)).toBe(days.length);
    }),
  );
});

test.each([
  ["title=A+page&url=https://a.example/x", { title: "A page", text: "<https://a.example/x>" }],
  ["text=Look+at+this+https://a.example/x", { title: "Look at this", text: "<https://a.example/x>" }],
  ["text=One%0ATwo", { title: "One", text: "One\nTwo" }],
  ["url=https://a.example/x", { title: "https://a.example/x", text: "<https://a.example/x>" }],
  ["", { title: "", text: "" }],
])("what is shared as %s begins a document", (shared, document) => {
  expect(sharedDocument(new URLSearchParams(shared))).toEqual(document);
});
