import { beforeEach, describe, expect, test } from "vitest";
import { version } from "../../../package.json";
import { ACCESS_SCOPES } from "../../../src/contract/access.ts";
import { ERROR_CODES } from "../../../src/contract/error-codes.ts";
import { WEBHOOK_EVENT_NAMES, WEBHOOK_TEST_EVENT } from "../../../src/contract/webhook-events.ts";
import { createMemoryRoute } from "../../../src/features/memories/routes.ts";
import { neededScopes } from "../../../src/platform/http/rules.ts";
import { type Client, person, visitor } from "../../kit/client.ts";
import { OPERATIONS, type Operation, ROUTES, type Schema } from "../../kit/description.ts";
import { rulesOf } from "../../kit/operations.ts";
import { keyOf } from "../../kit/scopes.ts";
import { isThorough } from "../../kit/time-limits.ts";

// Compares the published description with what the service does. test/e2e/docs.test.ts checks that it is valid
// OpenAPI 3.1, and that the pages show it.

type Description = {
  openapi: string;
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  info: { version: string };
  components: {
    securitySchemes: Record<string, unknown>;
    schemas: Record<string, Schema>;
    headers: Record<string, { description: string }>;
  };
};

const readText = async () => (await visitor().fetch("/openapi.json")).text();
const read = async (): Promise<Description> => JSON.parse(await readText());

const operationsOf = (description: Description) =>
  Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );

/** The URL of an operation with an example for every required parameter, and the given query. */
function addressOf(path: string, operation: Operation, query: Record<string, string> = {}): string {
  const required = (operation.parameters ?? []).filter((parameter) => parameter.required);
  const example = (name: string) => String(required.find((item) => item.name === name)?.example);
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(example(name)));
  const search = new URLSearchParams(query);
  for (const { name, in: place } of required) {
    if (place === "query" && !search.has(name)) search.set(name, example(name));
  }
  return `${filled}?${search}`;
}

test("/openapi.json is an OpenAPI 3.1 description with a bearer scheme and no local address", async () => {
  const description = await read();
  expect(description.openapi).toBe("3.1.0");
  expect(description.components.securitySchemes.bearer).toMatchObject({ type: "http", scheme: "bearer" });
  expect(description.components.securitySchemes.api_key).toMatchObject({ type: "http", scheme: "bearer" });
  expect(description.components.securitySchemes.cookieAuth).toMatchObject({
    type: "apiKey",
    in: "cookie",
    name: "__Host-commonplace",
  });
  for (const { path, operation } of operationsOf(description)) {
    const { security = [] } = operation;
    const hasCookie = security.some((one) => "cookieAuth" in one);
    expect(hasCookie, path).toBe(security.length > 0);
  }
  expect(description.servers).toMatchObject([{ url: "/" }]);
  expect(description.info.version).toBe(version);
  expect(await readText()).not.toContain("nullable");
});

test("every operation has a summary, a described tag, a success status, and a description of each answer", async () => {
  const description = await read();
  const tags = description.tags.map(({ name }) => name);
  for (const { path, method, operation } of operationsOf(description)) {
    const name = `${method} ${path}`;
    expect(operation.summary, name).toBeTruthy();
    for (const tag of operation.tags ?? ["none"]) expect(tags, name).toContain(tag);
    const statuses = Object.entries(operation.responses);
    expect(statuses.map(([status]) => status).join(), name).toMatch(/\b2\d\d\b/);
    for (const [status, response] of statuses)
      expect(response, `${name} ${status}`).toHaveProperty("description", expect.stringMatching(/./));
  }
});

/** The fields of a schema, recursively, with the path of each. */
function fieldsOf(path: string, schema: Schema): [string, Schema][] {
  const parts = [schema.items, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  const inside = parts.flatMap((part) => (part ? fieldsOf(path, part) : []));
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, field]): [string, Schema][] => [
    [`${path}.${name}`, field],
    ...fieldsOf(`${path}.${name}`, field),
  ]);
  return [...own, ...inside];
}

/** The descriptions in an operation, by what they describe. */
function textsOf({ operationId, description, parameters = [], responses }: Operation): [string, string?][] {
  const headers = Object.values(responses)
    .flatMap((response) => Object.entries(response.headers ?? {}))
    .filter(([, header]) => !header.$ref);
  return [
    [`${operationId}`, description],
    ...parameters.map((one): [string, string?] => [`${operationId} ${one.name}`, one.description]),
    ...headers.map(([name, header]): [string, string?] => [`${operationId} ${name}`, header.description]),
  ];
}

test("every operation, parameter, header and field is described", async () => {
  const description = await read();
  const fields = Object.entries(description.components.schemas)
    .flatMap(([name, schema]) => fieldsOf(name, schema))
    .filter(([, field]) => !field.$ref)
    .map(([path, field]): [string, string?] => [path, field.description]);
  const texts = operationsOf(description).flatMap(({ operation }) => textsOf(operation));
  expect([...fields, ...texts].filter(([, text]) => !text).map(([path]) => path)).toEqual([]);
  expect(fields.length).toBeGreaterThan(200);
});

test("every refusal has the header that says which error it is", async () => {
  const description = await read();
  for (const { operation } of operationsOf(description)) {
    for (const [status, { headers }] of Object.entries(operation.responses)) {
      const isRefusal = Number(status) >= 400;
      expect("Error-Code" in (headers ?? {}), `${operation.operationId} ${status}`).toBe(isRefusal);
    }
  }
  const { headers } = description.components;
  for (const code of Object.keys(ERROR_CODES))
    expect(headers["Error-Code"]?.description).toContain(`\`${code}\``);
});

test("each message to a webhook is described, with its headers", async () => {
  const { webhooks } = await read();
  expect(Object.keys(webhooks)).toEqual([...WEBHOOK_EVENT_NAMES, WEBHOOK_TEST_EVENT]);
  for (const [name, { post }] of Object.entries(webhooks)) {
    const headers = (post.parameters ?? []).map((one) => [one.name, one.in, Boolean(one.description)]);
    const named = ["webhook-id", "webhook-timestamp", "webhook-signature"];
    expect(headers, name).toEqual(named.map((one) => [one, "header", true]));
    expect(post.summary, name).toBeTruthy();
  }
});

test("each bulk request is a discriminated union", async () => {
  const { schemas } = (await read()).components;
  for (const [name, kinds] of [
    ["DocumentBulkRequest", 6],
    ["MemoryBulkRequest", 11],
  ] as const) {
    const union = schemas[name]?.properties?.operations?.items;
    const { propertyName, mapping = {} } = union?.discriminator ?? {};
    expect(propertyName).toBe("operation");
    expect(Object.keys(mapping).length).toBe(kinds);
    expect(union?.oneOf?.map(({ $ref }) => $ref).toSorted()).toEqual(Object.values(mapping).toSorted());
    for (const [operation, ref] of Object.entries(mapping)) {
      const option = schemas[ref.split("/").at(-1) ?? ""];
      expect(option?.properties?.operation?.enum, ref).toEqual([operation]);
    }
  }
});

// What the service does with a token, without one and with a key without a scope is compared with these rules in
// test/platform/http.test.ts and test/house/scopes.test.ts.
test("who may call an operation is published, and a key with all scopes may call those that say so", async () => {
  const key = await keyOf(await person(), ACCESS_SCOPES);
  for (const { path, method, operation, route } of OPERATIONS) {
    const { access } = rulesOf(route);
    const { security = [], description } = operation;
    expect(security.length === 0, path).toBe(access === "anyone");
    if (access === "anyone") continue;
    expect(Object.keys(operation.responses), path).toContain("401");
    const published = security.some((one) => "api_key" in one);
    const body = method === "GET" ? null : "{";
    const { status } = await key.fetch(addressOf(path, operation), { method, body });
    expect([published, status !== 403], `${method} ${path}`).toEqual(Array(2).fill(access !== "person"));
    if (!published) expect(description, path).toContain("Not available to API keys");
    const scopes = operation["x-required-scopes"];
    expect(scopes, path).toEqual(neededScopes(access));
    for (const scope of scopes ?? []) expect(description, path).toContain(scope);
  }
});

test("every operation has the name of its route constant, and names are unique", async () => {
  const constants = [...ROUTES];
  for (const [name, route] of constants) expect(`${route.operationId}Route`, name).toBe(name);

  const published = operationsOf(await read()).map(({ operation }) => operation.operationId);
  expect(published.toSorted()).toEqual(constants.map(([, route]) => route.operationId).toSorted());
  expect(new Set(published).size).toBe(published.length);
});

describe("a query parameter accepts exactly what is published:", () => {
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

  // A path with an id in it may be called with one that does not exist.
  const accepted = (path: string) => (path.includes("{") ? [200, 404] : [200]);

  let asked = 0;
  const ask = async (path: string, operation: Operation, query: Record<string, string>) => {
    // A person may send 600 requests a minute.
    if (++asked % 400 === 0) ada = await person();
    return (await ada.fetch(addressOf(path, operation, query))).status;
  };

  test.runIf(isThorough)("integers", async () => {
    const integers = gets(await read()).filter(({ parameter }) => /^(limit|offset)$/.test(parameter.name));
    expect(integers.length).toBeGreaterThan(5);
    for (const { path, operation, parameter } of integers) {
      const { name, schema } = parameter;
      const { minimum = NaN, maximum = NaN, default: fallback } = schema;
      expect(schema, path).toMatchObject({ type: "integer", default: expect.any(Number) });
      for (const value of [minimum, maximum, fallback]) {
        const status = await ask(path, operation, { [name]: String(value) });
        expect(accepted(path), `${path} ${name}=${value}`).toContain(status);
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
        const status = await ask(path, operation, { [name]: String(value) });
        expect(accepted(path), `${path} ${name}=${value}`).toContain(status);
      }
      expect(await ask(path, operation, { [name]: "something else" }), `${path} ${name}`).toBe(422);
    }
  });
});

test("the pages cannot load anything from elsewhere and cannot be framed", async () => {
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

test("the description is read again only when it has changed, by its ETag", async () => {
  const first = await visitor().fetch("/openapi.json");
  const etag = first.headers.get("ETag") ?? "";
  expect(etag).toMatch(/^"[^"]{16}"$/);
  expect(first.headers.get("Cache-Control")).toBe("no-cache");
  const ask = (tag: string) => visitor().fetch("/openapi.json", { headers: { "If-None-Match": tag } });
  const [again, weak, other] = [await ask(etag), await ask(`"x", W/${etag}`), await ask('"x"')];
  expect([again.status, await again.text(), again.headers.get("ETag")]).toEqual([304, "", etag]);
  expect(weak.status).toBe(304);
  expect([other.status, await other.text()]).toEqual([200, await first.text()]);
});
