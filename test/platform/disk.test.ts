import { afterEach, describe, expect, test, vi } from "vitest";
import { createDocumentRoute, listDocumentsRoute } from "../../src/features/documents/routes.ts";
import { getHealthRoute } from "../../src/features/health/routes.ts";
import { noteDisk } from "../../src/platform/core/disk.ts";
import { person } from "../kit/client.ts";
import { withFaults } from "../kit/d1-faults.ts";
import { stateless, use } from "../kit/mcp.ts";
import { named, pathOf, rulesOf } from "../kit/operations.ts";

// What people see while the disk of the service is full, as `npm start` says it is, and of a database that is damaged. A
// real disk is in test/e2e/disk.test.ts.

const DOCUMENT = { title: "Plan", content: { format: "markdown", text: "Buy a tent" } };

afterEach(() => noteDisk(undefined));

/** The first of all makes the service's own pair of keys. */
const WRITES_ONCE = "GET /api/push";

test.for(named.filter(([name, { method }]) => method === "get" && name !== WRITES_ONCE))(
  "%s does not depend on a write",
  async ([, route]) => {
    const ada = await person();
    const statusOf = async () => (await ada.fetch(pathOf(route), { method: "GET" })).status;
    const before = await statusOf();
    noteDisk("full");
    expect(await statusOf()).toBe(before);
  },
);

test.for(named.filter(([, { method }]) => method !== "get"))("%s says that the disk is full, or what else it may", async ([, route]) => {
  const ada = await person();
  noteDisk("full");
  const given = await ada.fetch(pathOf(route), { method: route.method.toUpperCase() });
  if (given.status < 500) return;
  expect([given.status, given.headers.get("Error-Code")], JSON.stringify(rulesOf(route))).toEqual([503, "disk_full"]);
});

test("a change is refused before it is sent, whoever is nobody as ever, and health says so", async () => {
  const ada = await person();
  noteDisk("full");
  const refused = await ada.call(createDocumentRoute, { json: DOCUMENT });
  expect([refused.status, refused.headers.get("Error-Code"), refused.headers.get("Retry-After")]).toEqual([
    503,
    "disk_full",
    "60",
  ]);
  expect(refused.text).toContain("nothing was changed");
  expect((await ada.ok(getHealthRoute)).status).toBe("disk_full");
  expect((await use(stateless(ada), "remember", { records: [] })).refused).toBeDefined();
  expect((await use(stateless(ada), "search", { query: "tent" })).refused).toBeUndefined();
  noteDisk(undefined);
  await ada.ok(createDocumentRoute, { json: DOCUMENT });
  expect((await ada.ok(listDocumentsRoute)).total).toBe(1);
  expect((await ada.ok(getHealthRoute)).status).toBe("ok");
});
