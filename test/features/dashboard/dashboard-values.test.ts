import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import * as dashboard from "../../../src/features/dashboard/routes.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { personAt, prepareCalendar } from "../../kit/dashboard.ts";

afterEach(() => {
  vi.useRealTimers();
});

describe("whatever is sent, the answer is one that the route declares", () => {
  const word = fc.string({ unit: "binary", maxLength: 30 });
  const day = fc
    .date({ min: new Date("0000-01-01"), max: new Date("9999-12-31"), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10));
  const scope = fc.constantFrom("personal", "work");
  const memory_type = fc.constantFrom(
    "commitment",
    "decision",
    "blocker",
    "pattern",
    "preference",
    "context",
  );
  const storable = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 40 })
    .filter((text) => text.trim() !== "" && !text.includes("\u0000"));
  const tag = storable.filter((text) => !/^\.\.?$/.test(text.trim()));
  const said = fc.record(
    {
      memory_type,
      topic: storable,
      content: storable,
      scope: fc.option(scope),
      project: fc.option(storable),
      due_date: fc.option(day),
      tags: fc.array(tag, { maxLength: 5 }),
    },
    { requiredKeys: ["memory_type", "topic", "content"] },
  );
  const page = { limit: fc.integer({ min: 1, max: 100 }), offset: fc.integer({ min: 0, max: 1000 }) };
  const runs = { numRuns: 20 };

  test("valid records are created, changed and listed, and never refused as invalid", async () => {
    const { client, owner } = await personAt("2026-11-20T12:00:00Z");
    await prepareCalendar(owner);
    await fc.assert(
      fc.asyncProperty(said, said, async (json, change) => {
        const made = await client.call(memories.createMemoryRoute, { json });
        expect(made.status).toBe(201);
        const params = { memory_id: String(made.body.id) };
        expect((await client.call(memories.updateMemoryRoute, { params, json: change })).status).toBe(200);
        const deferred_until = change.due_date ?? undefined;
        expect(
          (await client.call(memories.deferMemoryRoute, { params, json: { deferred_until } })).status,
        ).toBeOneOf([200, 400]);
        expect((await client.call(dashboard.listAlertsRoute)).status).toBe(200);
      }),
      runs,
    );
    const { url } = await client.ok(dashboard.createCalendarTokenRoute);
    expect((await client.fetch(url)).status).toBe(200);
  });

  test("valid queries are answered", async () => {
    const { client, owner } = await personAt("2026-11-20T12:00:00Z", "America/St_Johns");
    await prepareCalendar(owner);
    const query = fc.record(
      {
        ...page,
        scope,
        memory_type,
        project: fc.string({ unit: "grapheme", maxLength: 50 }),
        status: fc.constantFrom("resolved", "deferred", "archived"),
        q: storable,
        tag,
        due_before: day,
        due_after: day,
        sort: fc.constantFrom("updated_at", "created_at", "due_date"),
        order: fc.constantFrom("asc", "desc"),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(query, async (asked) => {
        const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
        for (const route of [
          dashboard.listCommitmentsRoute,
          dashboard.listAlertsRoute,
          dashboard.listHistoryRoute,
          dashboard.getSummaryRoute,
          memories.listMemoriesRoute,
        ]) {
          const names = Object.keys(route.request.query.shape);
          const query = Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name)));
          expect((await client.call(route, { query })).status, JSON.stringify(query)).toBe(200);
        }
      }),
      runs,
    );
  });

  test("invalid values are refused with a client error", async () => {
    const { client } = await personAt("2026-11-20T12:00:00Z");
    const { id } = await client.ok(memories.createMemoryRoute, {
      json: { memory_type: "context", topic: "T", content: "C" },
    });
    const fields = fc.dictionary(
      fc.constantFrom(
        "memory_type",
        "topic",
        "content",
        "scope",
        "project",
        "due_date",
        "tags",
        "document_id",
        "deferred_until",
        "resolved_at",
        "note",
        "resolution_note",
        "operations",
        "created_at",
      ),
      fc.oneof(fc.jsonValue(), word, day),
    );
    const routes = [
      memories.updateMemoryRoute,
      memories.resolveMemoryRoute,
      memories.deferMemoryRoute,
      memories.archiveMemoryRoute,
      memories.supersedeMemoryRoute,
      memories.reopenMemoryRoute,
      memories.confirmMemoryRoute,
      memories.listMemoryEventsRoute,
      memories.getMemoryRoute,
    ];
    await fc.assert(
      fc.asyncProperty(fields, word, async (json, text) => {
        for (const [route, parts] of [
          ...routes.map((route) => [route, route.method === "get" ? {} : { json }] as const),
          [memories.createMemoryRoute, { json }],
          [memories.changeMemoriesRoute, { json }],
          [memories.createMemoryRoute, { body: text }],
        ] as const) {
          const answer = await client.call(route as typeof memories.updateMemoryRoute, {
            params: { memory_id: String(id) },
            ...parts,
          });
          expect(answer.status).toBeLessThan(500);
        }
        for (const route of [
          dashboard.listCommitmentsRoute,
          dashboard.listHistoryRoute,
          memories.listMemoriesRoute,
          memories.getMemoryRoute,
        ]) {
          const name = text.toWellFormed();
          const query = {
            limit: name,
            offset: name,
            scope: name,
            project: name,
            status: name,
            q: name,
            sort: name,
            tag: name,
          };
          const answer = await client.call(route as typeof memories.listMemoriesRoute, {
            query,
            params: { memory_id: name },
          });
          expect(answer.status).toBeLessThan(500);
        }
      }),
      runs,
    );
  });
});
