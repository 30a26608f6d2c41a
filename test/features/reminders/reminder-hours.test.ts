import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { localDay, nextInstantAtHour, startOfDay } from "../../../src/contract/days.ts";
import { getMeRoute, updateMeRoute } from "../../../src/features/auth/routes.ts";
import * as push from "../../../src/features/push/routes.ts";
import { getRemindersRoute, updateRemindersRoute } from "../../../src/features/reminders/routes.ts";
import { dailySchedule } from "../../../src/features/reminders/store.ts";
import { type Client, person } from "../../kit/client.ts";
import { exported, send } from "../../kit/files.ts";
import { Receiver } from "../../kit/hooks.ts";
import { browserKeys } from "../../kit/push.ts";

// At which instants a person is reminded.

const HOUR = 3_600_000;
const QUARTER = HOUR / 4;

/** Zones whose clocks change at midnight, by half an hour, not at all, or that are far from Greenwich. */
const ZONES = [
  ...["UTC", "Europe/Berlin", "America/New_York", "America/Havana", "America/Santiago", "Asia/Beirut"],
  ...["Africa/Cairo", "Africa/Casablanca", "Australia/Lord_Howe", "Pacific/Chatham", "Pacific/Kiritimati"],
  ...["Pacific/Pago_Pago", "Asia/Kathmandu", "Asia/Gaza", "Atlantic/Azores", "America/St_Johns"],
];

/** The first instant of each day at which a clock on the wall shows this hour or a later one, found by looking at it. */
function strikes(hour: number, timeZone: string, [from, to]: [number, number]): number[] {
  const clock = new Intl.DateTimeFormat("en-CA", {
    ...{ timeZone, hourCycle: "h23", hour: "2-digit" },
    ...{ year: "numeric", month: "2-digit", day: "2-digit" },
  });
  const found = new Map<string, number>();
  for (let at = Math.floor(from / QUARTER) * QUARTER - 30 * HOUR; at <= to; at += QUARTER) {
    const [day = "", shown = ""] = clock.format(at).split(", ");
    if (Number(shown) >= hour && !found.has(day)) found.set(day, at);
  }
  return [...found.values()].filter((at) => at > from && at <= to);
}

/** Days on which clocks change somewhere, and any. */
const beginning = fc
  .oneof(
    fc.integer({ min: Date.UTC(2024, 0, 1) / QUARTER, max: Date.UTC(2027, 11, 31) / QUARTER }),
    fc
      .tuple(
        fc.constantFrom(
          ...[Date.UTC(2026, 2, 8), Date.UTC(2026, 2, 28), Date.UTC(2026, 3, 4), Date.UTC(2026, 3, 24)],
          ...[Date.UTC(2026, 8, 5), Date.UTC(2026, 9, 24), Date.UTC(2026, 9, 30), Date.UTC(2026, 10, 1)],
        ),
        fc.nat(96),
      )
      .map(([day, quarters]) => day / QUARTER - 48 + quarters),
  )
  .map((quarters) => quarters * QUARTER);

describe("a reminder", () => {
  test("comes once for each time that the clock strikes its hour, at the first run after it", () => {
    const runs = fc.array(fc.integer({ min: 1, max: 9 * HOUR }), { minLength: 10, maxLength: 60 });
    const property = fc.property(
      fc.constantFrom(...ZONES),
      fc.nat(23),
      beginning,
      runs,
      (timezone, hour, start, pauses) => {
        const ends = pauses.map((_, index) =>
          pauses.slice(0, index + 1).reduce((sum, one) => sum + one, start),
        );
        const struck = strikes(hour, timezone, [start, ends.at(-1) ?? start]);
        const isFirstAfter = (now: number, index: number) =>
          struck.some((strike) => strike > (ends[index - 1] ?? start) && strike <= now);
        let at = nextInstantAtHour(hour, { now: new Date(start), timezone });
        const reminded = ends.filter((now) => {
          if (at > new Date(now).toISOString()) return false;
          const turn = dailySchedule({ hour, at }, { now: new Date(now), timezone });
          expect(turn.next > new Date(now).toISOString()).toBe(true);
          at = turn.next;
          return turn.hasCome;
        });
        expect(reminded).toEqual(ends.filter(isFirstAfter));
      },
    );
    fc.assert(property, { numRuns: 150 });
  });

  test("waits for its hour where the clock has not struck it, because the account is in another zone now", () => {
    const zone = fc.constantFrom(...ZONES);
    const property = fc.property(zone, zone, fc.nat(23), beginning, (from, to, hour, start) => {
      const at = nextInstantAtHour(hour, { now: new Date(start), timezone: from });
      const now = new Date(Date.parse(at) + 20 * 60_000);
      const turn = dailySchedule({ hour, at }, { now, timezone: to });
      const struck = strikes(hour, to, [Date.parse(at) - 1, now.getTime()]);
      expect(turn.hasCome).toBe(struck.length > 0);
    });
    fc.assert(property, { numRuns: 100 });
  });
});

describe("the hour that was chosen", () => {
  const subscribe = async (client: Client, endpoint = new Receiver().url) =>
    client.ok(push.subscribeToPushRoute, { json: { endpoint, keys: await browserKeys() } });

  test("is the hour of a browser that subscribes, before or after", async () => {
    for (const [first, second, timezone] of [
      [0, 23, "Asia/Kolkata"],
      [17, 8, "America/Lima"],
    ] as const) {
      const ada = await person({ timezone });
      const next = (push_hour: number) => ({
        push_hour,
        next_push_at: nextInstantAtHour(push_hour, { now: new Date(), timezone }),
      });
      await ada.ok(updateRemindersRoute, { json: { push_hour: first } });
      expect((await ada.ok(getRemindersRoute)).next_push_at).toBeNull();
      await subscribe(ada);
      expect(await ada.ok(getRemindersRoute)).toMatchObject(next(first));
      await ada.ok(updateRemindersRoute, { json: { push_hour: second } });
      await subscribe(ada);
      expect(await ada.ok(getRemindersRoute)).toMatchObject(next(second));
    }
  });

  test("is 8 by default, and stays when the other reminder is changed", async () => {
    const ada = await person();
    await subscribe(ada);
    const next_push_at = nextInstantAtHour(8, { now: new Date(), timezone: "UTC" });
    expect(await ada.ok(getRemindersRoute)).toMatchObject({ push_hour: 8, next_push_at });
    await env.DB.prepare("UPDATE reminders SET push_at = '2026-01-01T08:00:00.000Z'").run();
    for (const json of [{}, { mail_hour: null }, { push_hour: 8 }])
      expect(await ada.ok(updateRemindersRoute, { json })).toMatchObject({
        push_hour: 8,
        next_push_at: "2026-01-01T08:00:00.000Z",
      });
  });

  test("is that of the same day after a change of the time zone: no day is left out or comes twice", async () => {
    const ada = await person();
    await subscribe(ada);
    let [timezone, day] = ["UTC", ""];
    for (const [index, next] of [...ZONES, ...ZONES].entries()) {
      const push_hour = (index * 7) % 24;
      const { next_push_at: before } = await ada.ok(updateRemindersRoute, { json: { push_hour } });
      day = localDay(before ?? "", timezone);
      await ada.ok(updateMeRoute, { json: { timezone: next } });
      const { next_push_at: after } = await ada.ok(getRemindersRoute);
      const midnight = new Date(Date.parse(startOfDay(day, next)) - 1);
      expect(after, `${push_hour} from ${timezone} to ${next}`).toBe(
        nextInstantAtHour(push_hour, { now: midnight, timezone: next }),
      );
      timezone = next;
    }
  });

  test("moves with a time zone that comes with an import as with one from the settings", async () => {
    const nextAfter = async (change: (client: Client) => Promise<unknown>) => {
      const ada = await person();
      await subscribe(ada);
      await change(ada);
      const [{ timezone }, { next_push_at }] = [await ada.ok(getMeRoute), await ada.ok(getRemindersRoute)];
      return { timezone, next_push_at };
    };
    const stayed = await nextAfter(async () => {});
    for (const timezone of ["Pacific/Auckland", "America/Los_Angeles"]) {
      const patched = await nextAfter((ada) => ada.ok(updateMeRoute, { json: { timezone } }));
      const file = await exported(await person({ timezone }));
      const imported = await nextAfter((ada) => send(ada, file, "?mode=overwrite"));
      expect(imported).toEqual({ ...patched, timezone });
      expect(stayed.next_push_at).not.toBe(imported.next_push_at);
    }
  });

  test("of both kinds can be changed at the same time", async () => {
    const ada = await person();
    await env.DB.prepare("UPDATE users SET email_verified_at = created_at").run();
    await ada.ok(updateRemindersRoute, { json: { push_hour: 9 } });
    const both = [{ push_hour: 10 }, { mail_hour: 7 }];
    await Promise.all(both.map((json) => ada.ok(updateRemindersRoute, { json })));
    expect(await ada.ok(getRemindersRoute)).toMatchObject({ push_hour: 10, mail_hour: 7 });
  });

  test("has room for twenty browsers whose sessions live, however many have ended", async () => {
    const ada = await person();
    for (let count = 0; count < 20; count++) await subscribe(ada);
    const json = { endpoint: new Receiver().url, keys: await browserKeys() };
    expect((await ada.refusal(push.subscribeToPushRoute, { json })).status).toBe(400);
    await env.DB.prepare("UPDATE push_subscriptions SET session_id = 'ended'").run();
    await subscribe(ada);
    expect((await ada.ok(push.listPushSubscriptionsRoute)).items).toHaveLength(1);
  });
});
