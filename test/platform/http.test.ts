import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { app } from "../../src/app.ts";
import { clientAddress } from "../../src/contract/client-address.ts";
import { isKnownHost, knownHostNames } from "../../src/contract/hosts.ts";
import * as documents from "../../src/features/documents/routes.ts";
import { getHealthRoute } from "../../src/features/health/routes.ts";
import { parseLimit } from "../../src/platform/rate-limit/parse-limit.ts";
import { person, visitor } from "../kit/client.ts";

/** The paths that require no token; every other one under /api does. */
const OPEN = [
  ...["/api/auth/register", "/api/auth/login", "/api/auth/refresh", "/api/auth/logout"],
  ...["/api/auth/login/passkey", "/api/auth/login/passkey/options"],
  ...["/api/auth/password-reset", "/api/auth/password-reset/confirm"],
  ...["/api/auth/email/confirm", "/api/auth/email/undo", "/api/auth/email/verify"],
  ...["/api/dashboard/calendar.ics", "/api/reminders/act"],
];

const privateRoutes = app.openAPIRegistry.definitions.flatMap((definition) => {
  if (definition.type !== "route" || !definition.route.path.startsWith("/api/")) return [];
  const { method, path } = definition.route;
  return OPEN.includes(path) ? [] : [[method.toUpperCase(), path] as const];
});

describe("without a token", () => {
  test("there are private routes to call", () => expect(privateRoutes.length).toBeGreaterThan(20));

  test.for(privateRoutes)("%s %s is a 401", async ([method, path]) => {
    const url = path.replace(/\{\w+\}/g, "x");
    for (const Authorization of [undefined, "Bearer broken.token.here"]) {
      const answer = await visitor().fetch(url, { method, headers: Authorization ? { Authorization } : {} });
      expect(answer.status).toBe(401);
      expect(await answer.json()).toEqual({ detail: "Missing or invalid token" });
      expect(answer.headers.get("WWW-Authenticate")).toBe("Bearer");
    }
  });
});

describe("the Host", () => {
  const names = knownHostNames({
    API_URL: "https://Notes.example:8443",
    MCP_URL: "",
    ALLOWED_HOSTS: " Box.local, b.example",
  });
  const own = [
    "localhost",
    "LOCALHOST:8000",
    "127.0.0.1",
    "10.0.0.7:80",
    "[::1]:8001",
    "notes.example",
    "box.local:1",
  ];
  const foreign = [
    "",
    "evil.example",
    "localhost.evil.example",
    "evil.example@localhost",
    "localhost@evil.example",
  ];
  const malformed = [
    "localhost/x",
    "localhost#x",
    "localhost, a",
    "a b",
    "localhost:x",
    "[::1",
    "notes.example.",
  ];

  test.for(own)("%s is accepted", (host) => expect(isKnownHost(host, names)).toBe(true));
  test.for([...foreign, ...malformed])("%s is refused", (host) =>
    expect(isKnownHost(host, names)).toBe(false),
  );

  test("is checked in a deployment only if ALLOWED_HOSTS is set", async () => {
    const ask = (host: string, settings: object) =>
      app.request(`https://${host}/health`, {}, { ...env, ...settings });
    expect((await ask("evil.example", {})).status).toBe(200);
    const refused = await ask("evil.example", { ALLOWED_HOSTS: "b.example" });
    expect(refused.status).toBe(421);
    expect(await refused.json()).toEqual({ detail: expect.stringContaining("ALLOWED_HOSTS") });
    for (const host of ["b.example", "commonplace.test", "192.0.2.1"])
      expect((await ask(host, { ALLOWED_HOSTS: "b.example" })).status).toBe(200);
  });

  test("behind a front, requests that bypass it are refused", async () => {
    const settings = { ...env, FRONT_SECRET: "a".repeat(43) };
    const routes = ["/health", "/openapi.json", "/docs", "/mcp", "/api/auth/login", "/authorize", "/nowhere"];
    for (const path of routes) {
      for (const headers of [
        {},
        { "X-Front-Secret": "b".repeat(43) },
        { "X-Front-Secret": "" },
      ] as HeadersInit[])
        expect((await app.request(path, { headers }, settings)).status, path).toBe(421);
    }
    const shown = { headers: { "X-Front-Secret": settings.FRONT_SECRET } };
    expect((await app.request("http://localhost/health", shown, settings)).status).toBe(200);
  });
});

describe("every answer", () => {
  test("has the security headers and an id", async () => {
    const answer = await visitor().call(getHealthRoute);
    expect(answer.body).toEqual({ status: "ok" });
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "referrer-policy": "no-referrer",
      "strict-transport-security": expect.stringContaining("max-age="),
      "x-content-type-options": "nosniff",
      "x-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  test("requires HTTPS only on a public host", async () => {
    for (const host of ["http://localhost:8000", "http://127.0.0.1:8000", "http://[::1]:8000"]) {
      const answer = await visitor().fetch(`${host}/health`);
      expect(answer.headers.has("Strict-Transport-Security")).toBe(false);
    }
  });

  test("reveals no internals when something goes wrong", async () => {
    const answer = await visitor().fetch("/no/such/path");
    expect(answer.status).toBe(404);
    expect(await answer.text()).toBe('{"detail":"Not found"}');
    expect(answer.headers.get("X-Content-Type-Options")).toBe("nosniff");
  });
});

describe("a page of another origin", () => {
  test("cannot read answers unless the deployment allows it", async () => {
    const answer = await visitor().fetch("/health", { headers: { Origin: "https://evil.example" } });
    expect(answer.headers.has("Access-Control-Allow-Origin")).toBe(false);
    expect(answer.headers.get("Vary")).toContain("Origin");
  });

  test("that is allowed may send and read the API's headers, without credentials", async () => {
    const origin = "https://app.commonplace.test";
    const preflight = await visitor().fetch("/api/documents", {
      method: "OPTIONS",
      headers: {
        Origin: origin,
        "Access-Control-Request-Method": "PUT",
        "Access-Control-Request-Headers": "If-Match",
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("Access-Control-Allow-Origin")).toBe(origin);
    expect(preflight.headers.get("Access-Control-Allow-Methods")).toContain("PUT");
    expect(preflight.headers.get("Access-Control-Allow-Headers")).toContain("If-Match");
    expect(preflight.headers.has("Access-Control-Allow-Credentials")).toBe(false);
    const answer = await visitor().fetch("/health", { headers: { Origin: origin } });
    for (const name of [
      "WWW-Authenticate",
      "Retry-After",
      "ETag",
      "Location",
      "X-D1-Bookmark",
      "Error-Code",
    ]) {
      expect(answer.headers.get("Access-Control-Expose-Headers")).toContain(name);
    }
  });
});

describe("a bookmark", () => {
  test("comes with every answer, and is used when it is sent back", async () => {
    const ada = await person();
    const created = await ada.call(documents.createDocumentRoute, { json: { title: "here" } });
    const bookmark = created.headers.get("X-D1-Bookmark") ?? "";
    expect(bookmark).toMatch(/^1:[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/);
    const listed = await ada.call(documents.listDocumentsRoute, { headers: { "X-D1-Bookmark": bookmark } });
    expect(listed.body.total).toBe(1);
    expect(listed.headers.get("X-D1-Bookmark")).toBeTruthy();
  });

  test.for(["", "first-unconstrained", "'; DROP TABLE users", "x".repeat(5000)])(
    "that is none is ignored: %j",
    async (bookmark) => {
      const ada = await person();
      const listed = await ada.call(documents.listDocumentsRoute, { headers: { "X-D1-Bookmark": bookmark } });
      expect(listed.status).toBe(200);
    },
  );
});

test.for([
  ["203.0.113.7", true, "203.0.113.7"],
  ["::ffff:203.0.113.7", true, "203.0.113.7"],
  ["2001:db8:1:2:3:4:5:6", true, "2001:db8:1:2::/64"],
  ["2001:db8:1:2::", true, "2001:db8:1:2::/64"],
  ["203.0.113.7", false, "shared"],
  ["not an address", true, "shared"],
  [undefined, true, "shared"],
] as const)("the client at %s (trusted: %s) counts as %s", ([header, trusted, key]) => {
  expect(clientAddress(header, trusted)).toBe(key);
});

test.for(["", "10", "10/0", "0/60", "-1/60", "10/60/60", "ten/60", undefined])(
  "a limit of %j is refused",
  (setting) => {
    expect(() => parseLimit("RATE_LIMIT_LOGIN", setting)).toThrow("RATE_LIMIT_LOGIN must look like 10/60");
  },
);
