import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { app } from "../../src/app.ts";
import { clientAddress } from "../../src/contract/client-address.ts";
import { isKnownHost, knownHostNames } from "../../src/contract/hosts.ts";
import * as documents from "../../src/features/documents/routes.ts";
import { getHealthRoute } from "../../src/features/health/routes.ts";
import { parseLimit } from "../../src/platform/rate-limit/rate-limiter.ts";
import { person, visitor } from "../kit/client.ts";

describe("the Host", () => {
  const names = knownHostNames({
    API_URL: "https://Notes.example:8443",
    MCP_URL: "",
    ALLOWED_HOSTS: " Box.local, b.example",
  });
  test.each([
    ...["localhost", "LOCALHOST:8000", "127.0.0.1", "10.0.0.7:80", "[::1]:8001", "notes.example"],
    ...["box.local:1"],
  ])("%s is accepted", (host) => expect(isKnownHost(host, names)).toBe(true));

  test.each([
    ...["", "evil.example", "localhost.evil.example", "evil.example@localhost", "localhost@evil.example"],
    ...["localhost/x", "localhost#x", "localhost, a", "a b", "localhost:x", "[::1", "notes.example."],
  ])("%j is refused", (host) => expect(isKnownHost(host, names)).toBe(false));

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
    const without = [{}, { "X-Front-Secret": "b".repeat(43) }, { "X-Front-Secret": "" }] as HeadersInit[];
    for (const path of [
      "/health",
      "/openapi.json",
      "/docs",
      "/mcp",
      "/api/auth/login",
      "/authorize",
      "/nowhere",
    ])
      for (const headers of without)
        expect((await app.request(path, { headers }, settings)).status, path).toBe(421);
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
    for (const host of ["localhost", "127.0.0.1", "[::1]"]) {
      const answer = await visitor().fetch(`http://${host}:8000/health`);
      expect(answer.headers.has("Strict-Transport-Security")).toBe(false);
    }
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
    const asked = { "Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "If-Match" };
    const headers = { Origin: origin, ...asked };
    const preflight = await visitor().fetch("/api/documents", { method: "OPTIONS", headers });
    expect(preflight.status).toBe(204);
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      "access-control-allow-origin": origin,
      "access-control-allow-methods": expect.stringContaining("PUT"),
      "access-control-allow-headers": expect.stringContaining("If-Match"),
    });
    expect(preflight.headers.has("Access-Control-Allow-Credentials")).toBe(false);
    const answer = await visitor().fetch("/health", { headers: { Origin: origin } });
    const exposed = answer.headers.get("Access-Control-Expose-Headers");
    for (const name of ["WWW-Authenticate", "Retry-After", "ETag", "Location", "X-D1-Bookmark", "Error-Code"])
      expect(exposed).toContain(name);
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

  test("that is malformed is ignored", async () => {
    const ada = await person();
    for (const bookmark of ["", "first-unconstrained", "'; DROP TABLE users", "x".repeat(5000)]) {
      const headers = { "X-D1-Bookmark": bookmark };
      expect((await ada.call(documents.listDocumentsRoute, { headers })).status, bookmark).toBe(200);
    }
  });
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

test.for(["", "10", "10/0", "-1/60", "10/60/60", "ten/60", undefined])(
  "a limit of %j is refused",
  (setting) => {
    expect(() => parseLimit("RATE_LIMIT_LOGIN", setting)).toThrow("RATE_LIMIT_LOGIN must look like 10/60");
  },
);
