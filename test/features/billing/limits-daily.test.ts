import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import type { Env } from "../../../src/env.ts";
import { listApiKeysRoute } from "../../../src/features/api-keys/routes.ts";
import { getMeRoute } from "../../../src/features/auth/routes.ts";
import { getUsageRoute } from "../../../src/features/billing/routes.ts";
import { listConnectionsRoute } from "../../../src/features/connections/routes.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import { listTagsRoute } from "../../../src/features/tags/routes.ts";
import { person } from "../../kit/client.ts";
import { ConfiguredClient, withLimits } from "../../kit/database.ts";
import { at, create } from "../../kit/documents.ts";
import { ask } from "../../kit/mcp.ts";

// How many requests a plan allows in a day.

describe("requests a day", () => {
  test("are limited over the API and MCP together; deleting, exporting and ending a program still work", async () => {
    const [ada, bob] = [await person(), await person()];
    const { id } = await create(ada);
    const limited = withLimits(ada, { requests_per_day: 8 });
    const statuses: number[] = [];
    for (let n = 0; n < 12; n++) {
      const { status } = n % 2 ? await ask(limited, "tools/list") : await limited.call(listTagsRoute);
      statuses.push(status);
    }
    // The first one was the document.
    expect(statuses.filter((status) => status === 200)).toHaveLength(7);
    expect(statuses.slice(7)).toEqual([429, 429, 429, 429, 429]);
    const refused = await limited.call(listTagsRoute);
    expect(refused.text).toMatch(
      /You have sent 8 of the 8 requests a day of the free plan: wait until midnight UTC, or choose a larger plan/,
    );
    const wait = Number(refused.headers.get("Retry-After"));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(86_400);
    expect(refused.headers.get("RateLimit")).toBe(`"day";r=0;t=${wait}`);
    expect((await limited.ok(getUsageRoute)).requests_per_day.limit).toBe(8);
    expect((await limited.fetch("/api/export")).status).toBe(200);
    await limited.ok(getMeRoute);
    await limited.ok(listConnectionsRoute);
    await limited.ok(listApiKeysRoute);
    for (const path of ["/api/exports", "/api/authors"])
      expect((await limited.fetch(path)).status, path).not.toBe(200);
    expect((await limited.call(documents.deleteDocumentRoute, at({ id }))).status).toBe(204);
    // Another person, and one who only says to be this one, are no part of it.
    expect((await withLimits(bob, { requests_per_day: 8 }).call(listTagsRoute)).status).toBe(200);
    const forged = await limited.fetch("/api/tags", { headers: { Authorization: "Bearer cpk_1.forged" } });
    expect(forged.status).toBe(401);
  });

  test("are answered although the count of an earlier one never ends", async () => {
    const ada = await person();
    const { promise: never, resolve: end } = Promise.withResolvers<number>();
    const hanging = { ...env.RATE_LIMITER, getByName: () => ({ count: () => never }) };
    const limited = new ConfiguredClient(ada, {
      PLAN_LIMITS: '{"free": {"requests_per_day": 5}}',
      RATE_LIMITER: hanging as unknown as Env["RATE_LIMITER"],
    });
    const statuses: number[] = [];
    for (let n = 0; n < 7; n++) statuses.push((await limited.call(listTagsRoute)).status);
    end(0);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
  });

  test("answers say how many are left", async () => {
    const ada = await person();
    await create(ada);
    const limited = withLimits(ada, { requests_per_day: 50 });
    for (let n = 0; n < 3; n++) await limited.call(listTagsRoute);
    const { headers } = await limited.call(listTagsRoute);
    expect(headers.get("RateLimit-Policy")).toMatch(/^"user";q=\d+;w=\d+, "day";q=50;w=86400$/);
    expect(headers.get("RateLimit")).toMatch(/^"day";r=45;t=\d+$/);
    expect((await limited.ok(getUsageRoute)).requests_per_day).toEqual({ used: 5, limit: 50 });
  });
});
