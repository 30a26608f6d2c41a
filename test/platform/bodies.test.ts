import { describe, expect, test } from "vitest";
import { createDocumentRoute } from "../../src/features/documents/routes.ts";
import { type Client, person, visitor } from "../kit/client.ts";
import { jsonOf, nameOf, operations, pathOf, rulesOf } from "../kit/operations.ts";

// Bodies are looked at before anything parses them, and before anybody asks who sends them.

const JSON_TYPE = { "Content-Type": "application/json" };
const nested = (levels: number) => `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`;
const named = (names: number) => `{${Array.from({ length: names }, (_, n) => `"k${n}":1`).join(",")}}`;

const TOO_DEEP = [400, expect.stringContaining("nested more than 64 levels deep")];

const send = async (client: Client, path: string, init: RequestInit) => {
  const answer = await client.fetch(path, { method: "POST", headers: JSON_TYPE, ...init });
  return { status: answer.status, text: await answer.text() };
};

test("JSON that is nested too deeply or has too many names is refused by every operation before the sender is known", async () => {
  const taking = operations.filter((route) => jsonOf(route) !== undefined);
  expect(taking.length).toBeGreaterThan(40);
  for (const route of taking) {
    const method = route.method.toUpperCase();
    const deep = await send(visitor(), pathOf(route), { method, body: nested(7000) });
    expect([deep.status, deep.text], nameOf(route)).toEqual(TOO_DEEP);
    if (rulesOf(route).body !== "1 MiB") continue;
    const wide = await send(visitor(), pathOf(route), { method, body: named(10_001) });
    expect([wide.status, wide.text], nameOf(route)).toEqual([
      400,
      expect.stringContaining("more than 10000 names"),
    ]);
  }
});

describe("of what is no operation", () => {
  const FORM = { "Content-Type": "application/x-www-form-urlencoded" };
  const many = Array.from({ length: 2000 }, (_, n) => `field${n}=x`).join("&");

  test.for(["/sign-in", "/sign-in/register", "/authorize", "/oauth/register", "/oauth/token", "/nothing"])(
    "%s takes 16 KiB",
    async (path) => {
      for (const [body, headers] of [
        [many, FORM],
        [named(2000), JSON_TYPE],
      ] as const) {
        const { status, text } = await send(visitor(), path, { body, headers });
        expect([status, text]).toEqual([413, expect.stringContaining("16 KiB")]);
      }
    },
  );

  test.for(["/sign-in", "/authorize", "/oauth/token"])("%s refuses a form of many fields", async (path) => {
    const { status, text } = await send(visitor(), path, { body: "a&".repeat(8000), headers: FORM });
    expect([status, text]).toEqual([400, expect.stringContaining("more than 100 fields")]);
  });

  test.for(["/oauth/register", "/mcp"])("%s refuses JSON that is nested too deeply", async (path) => {
    const ada = await person();
    const { status, text } = await send(ada, path, { body: nested(7000) });
    expect([status, text]).toEqual(TOO_DEEP);
  });

  test("MCP takes a document of its full size, with a credential that is good; without one it says so", async () => {
    const text = "word ".repeat(190_000);
    const params = { name: "create_document", arguments: { title: "Long", text } };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    expect((await send(await person(), "/mcp", { body })).status).not.toBe(413);
    expect((await send(visitor(), "/mcp", { body })).status).toBe(401);
    expect((await send(visitor(), "/mcp", { body: body + " ".repeat(200_000) })).status).toBe(413);
  });
});

test("a body without a length is measured as it comes", async () => {
  const pieces = (count: number, piece: string) =>
    new Blob(Array.from({ length: count }, () => piece)).stream();
  const { status } = await send(visitor(), "/api/auth/login", { body: pieces(17, " ".repeat(1024)) });
  expect(status).toBe(413);
  const ada = await person();
  const whole = JSON.stringify({ title: "Pieces", content: { text: "x" } });
  const body = new Blob([whole.slice(0, 9), whole.slice(9)]).stream();
  expect((await send(ada, "/api/documents", { body })).status).toBe(201);
});

test("a body as wide as may be is taken as it is", async () => {
  const front_matter = Object.fromEntries(Array.from({ length: 9000 }, (_, n) => [`k${n}`, n]));
  const json = { title: "Wide", content: { format: "markdown", text: "x", front_matter } };
  expect((await (await person()).ok(createDocumentRoute, { json })).content).toEqual(json.content);
});
