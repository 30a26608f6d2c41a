import { expect, test } from "vitest";
import { loginRoute } from "../../src/features/auth/routes.ts";
import { listConnectionsRoute } from "../../src/features/connections/routes.ts";
import { createDocumentRoute, listDocumentsRoute } from "../../src/features/documents/routes.ts";
import { PASSWORD, person, visitor } from "../kit/client.ts";
import type { Course } from "../kit/d1-faults.ts";
import { hookOf } from "../kit/hooks.ts";
import { ask, initialize, stateless, use } from "../kit/mcp.ts";
import { authorize, bearer, connect, exchange, registerClient } from "../kit/oauth.ts";
import { type Draw, onPart, type Part, withPlatformFaults } from "../kit/platform-faults.ts";

// What people see of KV, Durable Objects and rate limiters that fail in passing, and of ones that do not recover.

const ADA = "ada@example.com";
const DOCUMENT = { title: "Plan", content: { format: "markdown", text: "Buy a tent" } };
const login = () => visitor().call(loginRoute, { json: { email: ADA, password: PASSWORD } });

const always =
  (part: Part, course: Course, names = /./): Draw =>
  (of, name) =>
    of === part && names.test(name) ? course : "well";

/** Every other call to a part fails so. */
function everyOther(part: Part, course: Course): Draw {
  let calls = 0;
  return (of) => (of === part && ++calls % 2 === 1 ? course : "well");
}

const codeOf = ({ status, headers }: { status: number; headers: Headers }) => [
  status,
  headers.get("Error-Code"),
  headers.has("Retry-After"),
];

test.each(["before", "after", "queued"] as const)(
  "an assistant is connected, used and listed while every other call to KV fails: %s",
  async (course) => {
    const ada = await person({ email: ADA });
    await withPlatformFaults(everyOther("kv", course), async () => {
      const { mcp } = await connect(ADA);
      expect((await use(stateless(mcp), "list_documents")).refused).toBeUndefined();
      expect((await ada.ok(listConnectionsRoute)).total).toBe(1);
    });
  },
);

test("a KV that does not recover is a 503, for people, assistants and the token endpoint", async () => {
  const ada = await person({ email: ADA });
  const { mcp } = await connect(ADA);
  const { client_id } = await registerClient();
  const code = (await authorize(ADA, client_id)).searchParams.get("code");
  await withPlatformFaults(always("kv", "before"), async () => {
    expect(codeOf(await ada.call(listConnectionsRoute))).toEqual([503, "unavailable", true]);
    expect((await ask(mcp, "tools/list")).status).toBe(503);
    expect((await exchange(client_id, code)).status).toBe(503);
  });
  expect((await exchange(client_id, code)).status).toBe(200);
});

test("a limiter that loses its answer still lets people in, and one that is gone guards their passwords", async () => {
  await person({ email: ADA });
  for (const course of ["before", "after"] as const)
    expect((await withPlatformFaults(onPart("object", [course, course], /^take$/), login)).status).toBe(200);
  const refused = await withPlatformFaults(always("object", "queued", /^take$/), login);
  expect(codeOf(refused)).toEqual([503, "unavailable", true]);
  // The attempt of a right password cannot be taken back.
  const draw = always("object", "before", /^(?:clear|release)$/);
  expect((await withPlatformFaults(draw, login)).status).toBe(200);
});

test("while the limit of requests cannot be asked, there is none", async () => {
  const ada = await person();
  const answer = await withPlatformFaults(always("limit", "before"), () => ada.call(listDocumentsRoute));
  expect(answer.status).toBe(200);
});

test("a session goes on while its object does not answer, and one whose end failed says so", async () => {
  await person({ email: ADA });
  const { mcp } = await connect(ADA);
  const session = await initialize(bearer(mcp.tokens?.access_token ?? ""));
  const call = () => session.ask("tools/call", { name: "list_documents", arguments: {} });
  expect((await withPlatformFaults(always("object", "before", /^(?:open|keep)$/), call)).status).toBe(200);
  const end = () => session.client.fetch("/mcp", { method: "DELETE", headers: session.headers });
  const refused = await withPlatformFaults(always("object", "queued", /^end$/), end);
  expect(codeOf(refused)).toEqual([503, "unavailable", true]);
  expect((await call()).status).toBe(200);
  const unknown = await withPlatformFaults(onPart("object", ["after"], /^end$/), end);
  expect(codeOf(unknown)).toEqual([503, "outcome_unknown", true]);
  expect((await call()).status).toBe(404);
});

test("a code whose exchange never began can be exchanged afterwards", async () => {
  await person({ email: ADA });
  const { client_id } = await registerClient();
  const code = (await authorize(ADA, client_id)).searchParams.get("code");
  const trade = () => exchange(client_id, code);
  const refused = await withPlatformFaults(onPart("object", ["queued"], /^fetch$/), trade);
  expect(refused.status).toBe(503);
  expect((await trade()).status).toBe(200);
});

test("a document is written although the sender of its event cannot be woken", async () => {
  const ada = await person();
  await hookOf(ada);
  const draw = always("object", "queued", /^wake$/);
  const made = await withPlatformFaults(draw, () => ada.call(createDocumentRoute, { json: DOCUMENT }));
  expect(made.status).toBe(201);
});
