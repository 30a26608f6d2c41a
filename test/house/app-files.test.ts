import { SELF } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { SCREENS } from "../../src/contract/paths.ts";
import { BASE } from "../kit/client.ts";

// The web app's own paths, beside those of the service.

const PAGE = { "Sec-Fetch-Mode": "navigate", Accept: "text/html,*/*;q=0.8", Cookie: "__Host-commonplace=x" };
const open = (path: string, { headers, ...init }: RequestInit = {}) =>
  SELF.fetch(new URL(path, BASE), { redirect: "manual", ...init, headers: { ...PAGE, ...headers } });

test.for(["/", "/documents/01936b1e?view=x", "/settings"])(
  "%s leads to the sign-in without a session cookie, and back",
  async (path) => {
    const page = await open(path, { headers: { Cookie: "" } });
    expect(page.status).toBe(303);
    expect(page.headers.get("Location")).toBe(`/sign-in?to=${encodeURIComponent(path)}`);
    const inBackground = await open(path, { headers: { Cookie: "", "Sec-Fetch-Mode": "same-origin" } });
    expect(inBackground.status).toBe(200);
  },
);

test.for(["/", "/documents/01936b1e", "/records/1", "/settings/connections", "/search?q=x"])(
  "%s is the app",
  async (path) => {
    const page = await open(path);
    expect(page.status).toBe(200);
    expect(page.headers.get("Content-Type")).toContain("text/html");
    expect(page.headers.get("Content-Security-Policy")).toBe(
      "default-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'; object-src 'none'; " +
        "img-src 'self' data: blob:",
    );
    expect(page.headers.get("Cache-Control")).toBe("no-cache");
    expect(page.headers.get("X-Content-Type-Options")).toBe("nosniff");
  },
);

const FILE = { "Sec-Fetch-Mode": "no-cors", Accept: "*/*" };

describe("what the service does not have", () => {
  test.for([
    ["GET", "/api/nothing", 401],
    ["GET", "/mcp/nothing", 404],
    ["GET", "/.well-known/nothing", 404],
    ["DELETE", "/health", 405],
    ["POST", "/whatever", 404],
    ["POST", "/", 404],
    ["DELETE", "/documents/1", 404],
  ] as const)("is refused in JSON, also to a browser: %s %s", async ([method, path, status]) => {
    const answer = await open(path, { method });
    expect([answer.status, await answer.json()]).toEqual([status, { detail: expect.any(String) }]);
  });

  test("is a 404 to a page that loads it as a file, and is not cached", async () => {
    for (const path of ["/app/index-0123abcd.js", "/vendor/nothing.js", "/nothing.png", "/whatever"]) {
      const answer = await open(path, { headers: FILE });
      expect([answer.status, answer.headers.get("Cache-Control")], path).toEqual([404, "no-store"]);
      expect(await answer.json()).toEqual({ detail: "Not found" });
    }
  });
});

test("a path that is not a page of the app is not found, signed in or not", async () => {
  for (const path of [
    ...["/.env", "/.git/config", "/wp-login.php", "/backup.zip", "/index.php?x=/documents"],
    ...["/app/", "/documents.bak", "/robots.txt", "/.well-known"],
  ])
    for (const headers of [{}, FILE, { Cookie: "" }] as Record<string, string>[]) {
      const answer = await open(path, { headers });
      expect([answer.status, await answer.json()], path).toEqual([404, { detail: "Not found" }]);
    }
});

test("a path that a person may have mistyped is a 404 on which the app says so", async () => {
  for (const path of ["/dokuments", "/documents-2", "/wp-admin/", "/records2/1"]) {
    const page = await open(path);
    expect([page.status, page.headers.get("Content-Type")], path).toEqual([
      404,
      expect.stringContaining("html"),
    ]);
    expect(page.headers.get("Content-Security-Policy")).toContain("default-src 'self'");
  }
});

test.each(Object.values(SCREENS))("$path can be reloaded", async ({ path }) => {
  for (const id of ["x", "a.b", "%2e"]) expect((await open(path.replace(":id", id))).status).toBe(200);
});

test("browsers find an icon where they look for it, and pages their styles", async () => {
  for (const [path, type] of [
    ["/favicon.ico", "image/png"],
    ["/pages/tokens.css", "text/css"],
    ["/docs/docs.css", "text/css"],
  ] as const) {
    const file = await open(path, { headers: FILE });
    expect([file.status, file.headers.get("Content-Type")], path).toEqual([
      200,
      expect.stringContaining(type),
    ]);
  }
});
