import { afterEach, expect, test, vi } from "vitest";
import { createDocumentRoute, listDocumentsRoute } from "../../src/features/documents/routes.ts";
import { getHealthRoute } from "../../src/features/health/routes.ts";
import { setDiskState } from "../../src/platform/core/disk.ts";
import { callWithRetries, type RepeatEffect } from "../../src/platform/core/faults.ts";
import { findD1Fault } from "../../src/platform/db/call.ts";
import type { Operation } from "../../src/platform/http/openapi.ts";
import { type Client, person } from "../kit/client.ts";
import { stateless, use } from "../kit/mcp.ts";
import { nameOf, operations, pathOf } from "../kit/operations.ts";

// What people see while the disk of the service is full, as `npm start` says it is, and of a database that is damaged. A
// real disk is in test/e2e/disk.test.ts.

const DOCUMENT = { title: "Plan", content: { format: "markdown", text: "Buy a tent" } };

afterEach(() => setDiskState(undefined));

/** The first of all makes the service's own pair of keys. */
const WRITES_ONCE = "GET /api/push";

async function answerOf(ada: Client, route: Operation): Promise<string> {
  const answer = await ada.fetch(pathOf(route), { method: route.method.toUpperCase() });
  await answer.arrayBuffer();
  return `${nameOf(route)} ${answer.status} ${answer.headers.get("Error-Code")}`;
}

test("no operation that reads depends on a write", async () => {
  const ada = await person();
  for (const route of operations.filter((one) => one.method === "get" && nameOf(one) !== WRITES_ONCE)) {
    const before = await answerOf(ada, route);
    setDiskState("full");
    expect(await answerOf(ada, route)).toBe(before);
    setDiskState(undefined);
  }
});

test("what is not carried out is refused with words of its own", async () => {
  const ada = await person();
  setDiskState("full");
  for (const route of operations.filter(({ method }) => method !== "get"))
    expect(await answerOf(ada, route)).toMatch(/ (2\d\d null|4\d\d .*|501 no_files|503 disk_full)$/);
});

test("a change is refused before it is sent, and health says so", async () => {
  const ada = await person();
  setDiskState("full");
  const refused = await ada.call(createDocumentRoute, { json: DOCUMENT });
  const { status, headers } = refused;
  expect([status, headers.get("Error-Code"), headers.get("Retry-After")]).toEqual([503, "disk_full", "60"]);
  expect(refused.text).toContain("nothing was changed");
  expect((await ada.ok(getHealthRoute)).status).toBe("disk_full");
  expect((await use(stateless(ada), "remember", { records: [] })).refused).toBeDefined();
  expect((await use(stateless(ada), "search", { query: "tent" })).refused).toBeUndefined();
  setDiskState(undefined);
  await ada.ok(createDocumentRoute, { json: DOCUMENT });
  expect((await ada.ok(listDocumentsRoute)).total).toBe(1);
  expect((await ada.ok(getHealthRoute)).status).toBe("ok");
});

/** The error of a call that fails so, and what was logged of a hundred. */
async function failing(words: string, effect: RepeatEffect) {
  const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const course = { what: "The database", effectOf: () => effect, faultOf: findD1Fault };
  const call = () =>
    callWithRetries(course, () => Promise.reject(new Error(words))).catch((one: unknown) => one);
  const [first] = await Promise.all(Array.from({ length: 100 }, call));
  const lines = logged.mock.calls.length;
  logged.mockRestore();
  return { error: first as { code: string; message: string }, lines };
}

test.for([
  ["database or disk is full: SQLITE_FULL", "disk_full", "disk of the service is full"],
  ["disk I/O error: SQLITE_IOERR (extended: SQLITE_IOERR_SHMSIZE)", "damaged", "its disk is failing"],
  ["database disk image is malformed: SQLITE_CORRUPT", "damaged", "its file is damaged"],
  ["file is not a database: SQLITE_NOTADB", "damaged", "its file is damaged"],
] as const)("%s is said in words, and not sent again", async ([words, code, said]) => {
  for (const effect of ["none", "once", "any"] as const) {
    const { error, lines } = await failing(`D1_ERROR: ${words}`, effect);
    expect([error.code, error.message]).toEqual([code, expect.stringContaining(said)]);
    expect(lines).toBeLessThanOrEqual(1);
  }
});
