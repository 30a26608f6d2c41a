import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { deleteAccount, setClosed } from "../../../src/features/admin/store.ts";
import * as dashboard from "../../../src/features/dashboard/routes.ts";
import { openBaseCtx } from "../../../src/platform/db/session.ts";
import { visitor } from "../../kit/client.ts";
import { LONG_AGO, personAt, prepareCalendar } from "../../kit/dashboard.ts";
import { prepare } from "../../kit/memories.ts";

afterEach(() => {
  vi.useRealTimers();
});

describe("the calendar feed", () => {
  const feed = (url: string) => visitor().fetch(url);

  test("shows the due dates of active records to whoever has its address", async () => {
    const { client, owner } = await personAt("2026-11-20T12:00:00Z");
    await prepareCalendar(owner);
    await prepare(owner, [
      { topic: "Ship; it, \\ now\nplease", due_date: "2028-02-29", created_at: LONG_AGO },
    ]);
    const { url } = await client.ok(dashboard.createCalendarTokenRoute);
    const answer = await feed(url);
    expect([answer.status, answer.headers.get("Content-Type")]).toEqual([
      200,
      "text/calendar; charset=utf-8",
    ]);
    const text = await answer.text();
    expect(text).toMatch(/^BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:/);
    expect(text.match(/^DTSTART;VALUE=DATE:.*$/gm)).toEqual(
      ["20261030", "20261118", "20261119", "20261120", "20261121", "20271121", "20280229"].map(
        (day) => `DTSTART;VALUE=DATE:${day}`,
      ),
    );
    expect(text).toContain("SUMMARY:due_today\r\n");
    expect(text).toContain("SUMMARY:Ship\\; it\\, \\\\ now\\nplease\r\n");
    expect(text).toContain("TRANSP:TRANSPARENT");
    expect(text).not.toContain("asleep");
    expect(text.split("\r\n").every((line) => new TextEncoder().encode(line).length <= 75)).toBe(true);
    expect(await (await feed(url)).text()).toBe(text);
  });

  test("keeps its address when the request is repeated, and the address is stored nowhere in plain text", async () => {
    const { client } = await personAt("2026-11-20T12:00:00Z");
    const headers = { "Idempotency-Key": "feed" };
    const first = await client.ok(dashboard.createCalendarTokenRoute, { headers });
    const second = await client.ok(dashboard.createCalendarTokenRoute, { headers });
    expect(second).toEqual(first);
    expect((await feed(first.url)).status).toBe(200);
    const { results } = await env.DB.prepare("SELECT * FROM idempotency_keys").all();
    expect(results).toHaveLength(1);
    expect(JSON.stringify(results)).not.toContain(first.token);
  });

  test("ends with a new address or when it is revoked, and is closed to everybody else", async () => {
    const { client } = await personAt("2026-11-20T12:00:00Z");
    const first = await client.ok(dashboard.createCalendarTokenRoute);
    const second = await client.ok(dashboard.createCalendarTokenRoute);
    expect((await feed(first.url)).status).toBe(404);
    expect((await feed(second.url)).status).toBe(200);
    const { results } = await env.DB.prepare("SELECT * FROM calendar_tokens").all();
    expect(JSON.stringify(results)).not.toContain(second.token);
    await client.ok(dashboard.revokeCalendarTokenRoute);
    await client.ok(dashboard.revokeCalendarTokenRoute);
    const closed = await feed(second.url);
    expect([closed.status, await closed.text()]).toEqual([404, '{"detail":"Not found"}']);
    expect((await feed("/api/dashboard/calendar.ics")).status).toBe(422);
    expect((await feed("/api/dashboard/calendar.ics?token=x")).status).toBe(404);
  });

  test("is sent again only when it has changed", async () => {
    const { client, owner } = await personAt("2026-11-20T12:00:00Z");
    await prepareCalendar(owner);
    const { url } = await client.ok(dashboard.createCalendarTokenRoute);
    const first = await feed(url);
    const tag = first.headers.get("ETag") ?? "";
    const known = (tags: string) => visitor().fetch(url, { headers: { "If-None-Match": tags } });
    for (const tags of [tag, `W/${tag}`, `"x", ${tag}`]) {
      const same = await known(tags);
      expect([same.status, same.headers.get("ETag"), await same.text()]).toEqual([304, tag, ""]);
    }
    expect((await known('"x"')).status).toBe(200);
    await prepare(owner, [{ topic: "New", due_date: "2026-11-21", created_at: LONG_AGO }]);
    const changed = await known(tag);
    expect(changed.status).toBe(200);
    expect(changed.headers.get("ETag")).not.toBe(tag);
  });

  test.for([
    ["2026-11-20T12:00:00Z", ["@notes.example", "@commonplace.test"]],
    ["2026-12-05T12:00:00Z", ["@commonplace", "@commonplace"]],
  ] as const)("of %s names events independently of its host, or as it always has", async ([time, places]) => {
    const { client, owner } = await personAt(time);
    await prepare(owner, [{ topic: "T", due_date: "2026-12-24", created_at: LONG_AGO }]);
    const { url } = await client.ok(dashboard.createCalendarTokenRoute);
    const at = async (host: string) => (await feed(url.replace("commonplace.test", host))).text();
    for (const [index, host] of ["notes.example", "commonplace.test"].entries())
      expect(await at(host)).toMatch(new RegExp(`^UID:memory-1-[\\w-]{36}${places[index]}\r$`, "m"));
  });

  test("is closed with its account, and gone with it before everything else is erased", async () => {
    const base = () => openBaseCtx(env.DB);
    const { client, email } = await personAt("2026-11-20T12:00:00Z");
    const { url } = await client.ok(dashboard.createCalendarTokenRoute);
    await setClosed(base(), email, true, { evenLastAdmin: true });
    expect((await feed(url)).status).toBe(404);
    await setClosed(base(), email, false);
    expect((await feed(url)).status).toBe(200);
    await deleteAccount(base(), email);
    expect((await feed(url)).status).toBe(404);
  });
});
