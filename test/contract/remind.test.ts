import { describe, expect, it } from "vitest";
import { type Reminder, ReminderList, reminderInstants, textOfReminder } from "../../src/contract/remind.ts";

const refusal = (reminders: unknown) => ReminderList.safeParse(reminders).error?.issues[0]?.message;

describe("reminders", () => {
  it.each([
    [[]],
    [[{ at: "2026-12-01T09:00" }]],
    [["PT0M", "PT30M", "P1D", "P1DT2H30M", "P4W"].map((before) => ({ before }))],
    [[{ before: "P30D" }, { before: "PT24H" }, { before: "P1D" }]],
  ])("%j are taken", (reminders) => {
    expect(ReminderList.parse(reminders)).toEqual(reminders);
  });

  const AT = "must be a local date and time to the minute, such as 2026-12-01T09:00";
  const BEFORE = "must be a duration in weeks, or in days, hours and minutes, such as PT30M, P1D or P1DT2H";
  const REMINDER = 'must be {"at": "2026-12-01T09:00"} or {"before": "PT30M"}';
  it.each<[unknown, string]>([
    ...["2026-12-01", "2026-12-01T09:00:00", "2026-12-01T09:00Z", "2026-02-30T09:00", "2026-12-01T24:00"].map(
      (at): [unknown, string] => [[{ at }], AT],
    ),
    ...["P", "PT", "P1DT", "30M", "P1M", "P1Y", "PT30S", "-PT5M", "P1WT1H", "PT1M1H", "P1.5D", "pt5m"].map(
      (before): [unknown, string] => [[{ before }], BEFORE],
    ),
    [[{ before: "P31D" }], "must be at most P30D"],
    [[{ before: "P30DT1M" }], "must be at most P30D"],
    [[{ before: "P5W" }], "must be at most P30D"],
    [[{ before: "PT60M" }, { before: "PT1H" }], "must not contain a reminder twice"],
    [[{ before: "P1W" }, { before: "P7D" }], "must not contain a reminder twice"],
    [[{ at: "2026-12-01T09:00", before: "PT5M" }], REMINDER],
    [[{}], REMINDER],
    [["PT5M"], REMINDER],
  ])("%j are refused", (reminders, problem) => {
    expect(refusal(reminders)).toBe(problem);
  });

  it("are at most five", () => {
    const reminders = Array.from({ length: 6 }, (_, minutes) => ({ before: `PT${minutes}M` }));
    expect(ReminderList.safeParse(reminders).success).toBe(false);
    expect(ReminderList.safeParse(reminders.slice(1)).success).toBe(true);
  });

  it.each<[Reminder, string]>([
    [{ at: "2026-12-01T09:00" }, "on 1 December 2026 at 09:00"],
    [{ before: "PT0M" }, "at the due time"],
    [{ before: "PT30M" }, "30 minutes before"],
    [{ before: "PT90M" }, "1 hour and 30 minutes before"],
    [{ before: "P1D" }, "1 day before"],
    [{ before: "P7D" }, "1 week before"],
    [{ before: "P1DT2H" }, "1 day and 2 hours before"],
  ])("%j is said as %s", (reminder, text) => {
    expect(textOfReminder(reminder)).toBe(text);
  });
});

describe("the instants of reminders", () => {
  // What Python 3.11's zoneinfo says, with tzdata 2025b: skipped, repeated and ordinary local times.
  it.each([
    ["Pacific/Apia", "2011-12-29T09:00", "2011-12-29T19:00:00.000Z"],
    ["Pacific/Apia", "2011-12-30T09:00", "2011-12-30T19:00:00.000Z"],
    ["Pacific/Apia", "2011-12-31T09:00", "2011-12-30T19:00:00.000Z"],
    ["Pacific/Apia", "2021-04-04T03:30", "2021-04-03T13:30:00.000Z"],
    ["Pacific/Apia", "2020-09-27T03:30", "2020-09-26T14:30:00.000Z"],
    ["Africa/Casablanca", "2026-02-14T09:00", "2026-02-14T08:00:00.000Z"],
    ["Africa/Casablanca", "2026-02-15T02:30", "2026-02-15T01:30:00.000Z"],
    ["Africa/Casablanca", "2026-03-22T02:30", "2026-03-22T02:30:00.000Z"],
    ["America/St_Johns", "2026-03-08T02:30", "2026-03-08T06:00:00.000Z"],
    ["America/St_Johns", "2026-11-01T01:30", "2026-11-01T04:00:00.000Z"],
    ["America/St_Johns", "2011-03-13T00:30", "2011-03-13T04:00:00.000Z"],
    ["America/St_Johns", "2010-11-07T00:00", "2010-11-07T02:30:00.000Z"],
    ["Asia/Kathmandu", "2026-11-25T09:00", "2026-11-25T03:15:00.000Z"],
    ["Asia/Kathmandu", "1986-01-01T00:05", "1985-12-31T18:35:00.000Z"],
    ["Asia/Kathmandu", "1985-12-31T23:59", "1985-12-31T18:29:00.000Z"],
    ["Australia/Lord_Howe", "2026-04-05T01:45", "2026-04-04T14:45:00.000Z"],
    ["Australia/Lord_Howe", "2026-10-04T02:15", "2026-10-03T15:45:00.000Z"],
    ["Australia/Lord_Howe", "2026-10-04T01:59", "2026-10-03T15:29:00.000Z"],
  ])("%s, %s", (zone, local, instant) => {
    const [due_date = "", due_time = ""] = local.split("T");
    expect(reminderInstants([{ at: local }], { due_date: null, due_time: null, zone })).toEqual([instant]);
    expect(reminderInstants([{ before: "PT0M" }], { due_date, due_time, zone })).toEqual([instant]);
  });

  const zone = "America/St_Johns";

  it("before the due time are days of the calendar, and hours on the clock", () => {
    const due = { due_date: "2026-03-08", due_time: "09:00", zone };
    expect(reminderInstants([{ before: "P1D" }, { before: "PT24H" }], due)).toEqual([
      "2026-03-07T11:30:00.000Z",
      "2026-03-07T12:30:00.000Z",
    ]);
  });

  it("are before 9:00 of a day without an hour, and none without a day", () => {
    const reminders = [{ before: "PT30M" }, { before: "P1W" }, { at: "2026-07-01T08:30" }];
    const of = (due_date: string | null) => reminderInstants(reminders, { due_date, due_time: null, zone });
    expect(of("2026-07-01")).toEqual(["2026-06-24T11:30:00.000Z", "2026-07-01T11:00:00.000Z"]);
    expect(of(null)).toEqual(["2026-07-01T11:00:00.000Z"]);
  });
});
