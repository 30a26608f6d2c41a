import { z } from "@hono/zod-openapi";
import { expect, test } from "vitest";
import { takesAnySize } from "../../scripts/start/front.ts";
import { BODY_LIMITS, MAX_BODY_BYTES } from "../../src/contract/body-limit.ts";
import { createRouter, json, operation } from "../../src/platform/http/openapi.ts";
import { person } from "../kit/client.ts";
import { withLimits } from "../kit/database.ts";
import { named, nameOf, operations, pathOf, rulesOf } from "../kit/operations.ts";

// What an operation states about itself is what happens. Who may call it is in scopes.test.ts, what it adds to an account
// in limits-operations.test.ts, and what it writes to the activity in activity.test.ts.

test("an operation that states nothing does not compile", () => {
  const read = { method: "get", path: "/", responses: { 200: json(z.strictObject({}), "Done") } } as const;
  // @ts-expect-error: it has no rules
  operation(read);
  // @ts-expect-error: it does not say whether a daily limit counts it
  operation({ ...read, rules: { access: "person" } });
  // @ts-expect-error: a write also states its body, and what it adds and changes
  operation({ ...read, method: "post", rules: { access: "person", daily: "limited" } });
  // @ts-expect-error: a router takes only routes that state their rules
  createRouter().openapi(read, (c) => c.json({}, 200));
});

test.for(named)("%s accepts a body as large as it states, and no larger", async ([, route]) => {
  if (route.method === "get") return;
  const ada = await person();
  const { body } = rulesOf(route);
  const most = body === "1 MiB" ? MAX_BODY_BYTES : BODY_LIMITS["16 KiB"];
  const send = async (bytes: number) => {
    const init = { method: route.method.toUpperCase(), headers: { "Content-Type": "application/json" } };
    return (await ada.fetch(pathOf(route), { ...init, body: " ".repeat(bytes) })).status;
  };
  expect((await send(body === "streamed" ? MAX_BODY_BYTES + 1 : most + 1)) === 413, `${body}`).toBe(
    body !== "streamed",
  );
  if (body === "16 KiB") expect(await send(most)).not.toBe(413);
  expect(body === "none").toBe(route.request?.body === undefined);
});

test("a request without an account sends little, and any other as much as is published", () => {
  for (const route of operations.filter(({ method }) => method !== "get")) {
    const { access, body } = rulesOf(route);
    const kinds = access === "anyone" ? ["none", "16 KiB"] : ["none", "1 MiB", "streamed"];
    expect(kinds, nameOf(route)).toContain(body);
  }
});

test("the front lets through what the operations stream, and no other path", () => {
  const streaming = operations.filter((route) => rulesOf(route).body === "streamed");
  expect(streaming.length).toBeGreaterThan(0);
  const paths = new Set(streaming.map(pathOf));
  for (const route of operations)
    expect(takesAnySize(pathOf(route)), nameOf(route)).toBe(paths.has(pathOf(route)));
});

test("the operations that state it are refused when the requests of today are used, and no others", async () => {
  const ada = await person();
  const used = withLimits(ada, { requests_per_day: 1 });
  await used.fetch("/api/billing/usage");
  await used.fetch("/api/billing/usage");
  for (const route of operations.filter(({ rules }) => rules.access !== "anyone")) {
    const { path, method, rules } = route;
    // These would end the session that the others use.
    if (path === "/api/auth/logout-all" || (path === "/api/auth/me" && method === "delete")) continue;
    const given = await used.fetch(pathOf(route), { method: method.toUpperCase() });
    const isRefused = given.status === 429 && (await given.text()).includes("requests a day");
    expect(isRefused, nameOf(route)).toBe(rules.daily === "limited");
  }
});
