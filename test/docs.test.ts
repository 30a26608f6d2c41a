import type { RouteConfig } from "@hono/zod-openapi";
import { beforeEach, describe, expect, test } from "vitest";
import { createMemoryRoute } from "../src/memories/routes.ts";
import { type Client, person, visitor } from "./kit/client.ts";

// Holds the published description against what the service does. That it is OpenAPI 3.1 by the letter, and
// that the pages show it, is checked in test/e2e/docs.test.ts.

type Schema = {
  type?: string | string[];
  enum?: unknown[];
  example?: unknown;
  minimum?: number;
  maximum?: number;
  default?: unknown;
};
type Parameter = { name: string; in: string; required?: boolean; schema: Schema };
type Operation = {
  operationId?: string;
  summary?: string;
  tags?: string[];
  security?: unknown;
  parameters?: Parameter[];
  responses: Record<string, { description?: string }>;
};
type Description = {
  openapi: string;
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { securitySchemes: Record<string, unknown> };
};

/** The routes that need no token. */
const OPEN = /^(?!\/api\/)|^\/api\/(auth\/(register|login|refresh|logout)|dashboard\/calendar\.ics)$/;

const readText = async () => (await visitor().fetch("/openapi.json")).text();
const read = async (): Promise<Description> => JSON.parse(await readText());

const operationsOf = (description: Description) =>
  Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );

/** The address of an operation with an example for everything that it requires, and the given query. */
function addressOf(path: string, operation: Operation, query: Record<string, string> = {}): string {
  const required = (operation.parameters ?? []).filter((parameter) => parameter.required);
  const example = (name: string) => String(required.find((item) => item.name === name)?.schema.example);
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(example(name)));
  const search = new URLSearchParams(query);
  for (const { name, in: place } of required) {
    if (place === "query" && !search.has(name)) search.set(name, example(name));
  }
  return `${filled}?${search}`;
}

test("/openapi.json is an OpenAPI 3.1 description with a bearer scheme and no address of this machine", async () => {
  const description = await read();
  expect(description.openapi).toBe("3.1.0");
  expect(description.components.securitySchemes.bearer).toMatchObject({ type: "http", scheme: "bearer" });
  expect(description.servers).toEqual([{ url: "/" }]);
  expect(await readText()).not.toContain("nullable");
});

test("every operation has a summary, a described tag, a success, and a description of each answer", async () => {
  const description = await read();
  const tags = description.tags.map(({ name }) => name);
  for (const { path, method, operation } of operationsOf(description)) {
    const name = `${method} ${path}`;
    expect(operation.summary, name).toBeTruthy();
    for (const tag of operation.tags ?? ["none"]) expect(tags, name).toContain(tag);
    expect(
      Object.keys(operation.responses).filter((status) => /^2\d\d$/.test(status)).length,
      name,
    ).toBeGreaterThan(0);
    for (const [status, response] of Object.entries(operation.responses)) {
      expect(response.description, `${name} ${status}`).toBeTruthy();
    }
  }
});

test("every operation is called like its route constant, and no two alike", async () => {
  const rooms = import.meta.glob<Record<string, unknown>>("../src/*/routes.ts", { eager: true });
  const constants = Object.values(rooms).flatMap((room) =>
    Object.entries(room).filter((entry): entry is [string, RouteConfig] => entry[0].endsWith("Route")),
  );
  for (const [name, route] of constants) expect(`${route.operationId}Route`, name).toBe(name);

  const published = operationsOf(await read()).map(({ operation }) => operation.operationId);
  expect(published.toSorted()).toEqual(constants.map(([, route]) => route.operationId).toSorted());
  expect(new Set(published).size).toBe(published.length);
});

test("exactly the operations that are published as private answer 401 without a token", async () => {
  for (const { path, method, operation } of operationsOf(await read())) {
    const name = `${method} ${path}`;
    const isOpen = OPEN.test(path);
    expect(operation.security, name).toEqual(isOpen ? undefined : [{ bearer: [] }]);
    if (isOpen) continue;
    expect(Object.keys(operation.responses), name).toContain("401");
    for (const headers of [{}, { Authorization: "Bearer not.a.token" }] as HeadersInit[]) {
      const response = await visitor().fetch(addressOf(path, operation), { method, headers });
      expect(response.status, name).toBe(401);
      expect(response.headers.get("WWW-Authenticate"), name).toBe("Bearer");
    }
  }
});

describe("a query parameter accepts what it publishes, and nothing else:", () => {
  let ada: Client;
  beforeEach(async () => {
    ada = await person();
    // The record of the examples.
    await ada.ok(createMemoryRoute, { json: { memory_type: "context", topic: "Topic", content: "Content" } });
  });

  const gets = (description: Description) =>
    operationsOf(description)
      .filter(({ method }) => method === "GET")
      .flatMap(({ path, operation }) =>
        (operation.parameters ?? [])
          .filter((parameter) => parameter.in === "query")
          .map((parameter) => ({ path, operation, parameter })),
      );

  const ask = async (path: string, operation: Operation, query: Record<string, string>) =>
    (await ada.fetch(addressOf(path, operation, query))).status;

  test("integers", async () => {
    const integers = gets(await read()).filter(({ parameter }) => /^(limit|offset)$/.test(parameter.name));
    expect(integers.length).toBeGreaterThan(5);
    for (const { path, operation, parameter } of integers) {
      const { name, schema } = parameter;
      const { minimum = NaN, maximum = NaN, default: fallback } = schema;
      expect(schema, path).toMatchObject({ type: "integer", default: expect.any(Number) });
      for (const value of [minimum, maximum, fallback]) {
        // A path with an id in it may be asked with one that nobody has.
        const accepted = path.includes("{") ? [200, 404] : [200];
        expect(accepted, `${path} ${name}=${value}`).toContain(
          await ask(path, operation, { [name]: String(value) }),
        );
      }
      const beyond = `${BigInt(maximum) + 1n}`;
      for (const value of [minimum - 1, beyond, "", "x", "1.5", "1e1", " 1", "0x1", "null"]) {
        expect(await ask(path, operation, { [name]: String(value) }), `${path} ${name}=${value}`).toBe(422);
      }
    }
  });

  test("enumerations", async () => {
    const enumerations = gets(await read()).filter(({ parameter }) => parameter.schema.enum);
    expect(enumerations.length).toBeGreaterThan(2);
    for (const { path, operation, parameter } of enumerations) {
      const { name, schema } = parameter;
      for (const value of schema.enum ?? []) {
        expect(await ask(path, operation, { [name]: String(value) }), `${path} ${name}=${value}`).toBe(200);
      }
      expect(await ask(path, operation, { [name]: "something else" }), `${path} ${name}`).toBe(422);
    }
  });
});

test("the pages may load nothing from elsewhere and may not be framed", async () => {
  for (const path of ["/docs", "/redoc"]) {
    const page = await visitor().fetch(path);
    expect(page.status).toBe(200);
    expect(page.headers.get("Content-Type")).toContain("text/html");
    const policy = page.headers.get("Content-Security-Policy");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/https?:|\*/);
    const html = await page.text();
    expect(html).not.toMatch(/https?:\/\//);
    expect(html).not.toMatch(/<script>|<style>| style=| on\w+=/);
  }
});
