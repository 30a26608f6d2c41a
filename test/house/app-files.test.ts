import { SELF } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { SCREENS } from "../../src/contract/paths.ts";
import { BASE } from "../kit/client.ts";

// The web app's own paths, beside those of the service.

const open = (path: string, init: RequestInit = {}) =>
  SELF.fetch(new URL(path, BASE), {
    redirect: "manual",
    ...init,
    headers: {
      "Sec-Fetch-Mode": "navigate",
      Accept: "text/html,*/*;q=0.8",
      Cookie: "__Host-commonplace=x",
      ...init.headers,
    },
  });

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

describe("what the service has not", () => {
  test.for([
    ["GET", "/api/nothing", 401],
    ["GET", "/mcp/nothing", 404],
    ["GET", "/oauth/nothing", 404],
    ["GET", "/open/nothing", 404],
    ["GET", "/docs/", 404],
    ["GET", "/.well-known/nothing", 404],
    ["DELETE", "/health", 405],
    ["POST", "/whatever", 404],
    ["POST", "/", 404],
    ["DELETE", "/documents/1", 404],
  ] as const)("is refused in JSON, also to a browser: %s %s", async ([method, path, status]) => {
    const answer = await open(path, { method });
    expect(answer.status).toBe(status);
    expect(await answer.json()).toEqual({ detail: expect.any(String) });
  });

  test.for(["/app/index-0123abcd.js", "/vendor/nothing.js", "/nothing.png", "/whatever"])(
    "is a 404 to a page that loads it as a file, and is not kept: %s",
    async (path) => {
      const headers = { "Sec-Fetch-Mode": "no-cors", Accept: "*/*" };
      const answer = await open(path, { headers });
      expect(answer.status).toBe(404);
      expect(answer.headers.get("Cache-Control")).toBe("no-store");
      expect(await answer.json()).toEqual({ detail: "Not found" });
    },
  );
});

describe("what is no page of the app", () => {
  test.for([
    ...["/.env", "/.git/config", "/wp-login.php", "/backup.zip", "/index.php?x=/documents"],
    ...["/app/", "/documents.bak", "/robots.txt", "/.well-known"],
  ])("is not found, whoever asks: %s", async (path) => {
    const asked: Record<string, string>[] = [
      {},
      { "Sec-Fetch-Mode": "no-cors", Accept: "*/*" },
      { Cookie: "" },
    ];
    for (const headers of asked) {
      const answer = await open(path, { headers });
      expect(answer.status).toBe(404);
      expect(await answer.json()).toEqual({ detail: "Not found" });
    }
  });

  test("is a 404 on which the app says so, where a person may have mistyped it", async () => {
    for (const path of ["/dokuments", "/documents-2", "/wp-admin/", "/records2/1"]) {
      const page = await open(path);
      expect([page.status, page.headers.get("Content-Type")], path).toEqual([
        404,
        expect.stringContaining("html"),
      ]);
      expect(page.headers.get("Content-Security-Policy")).toContain("default-src 'self'");
    }
  });
});

test.each(Object.values(SCREENS))("$path can be reloaded", async ({ path }) => {
  for (const id of ["x", "a.b", "%2e"]) expect((await open(path.replace(":id", id))).status).toBe(200);
});

test("browsers find an icon where they look for it by themselves", async () => {
  const icon = await open("/favicon.ico", { headers: { "Sec-Fetch-Mode": "no-cors", Accept: "image/*" } });
  expect([icon.status, icon.headers.get("Content-Type")]).toEqual([200, "image/png"]);
});

test.for(["/pages/tokens.css", "/docs/docs.css"])("%s is a file", async (path) => {
  const file = await open(path, { headers: { "Sec-Fetch-Mode": "no-cors", Accept: "text/css" } });
  expect(file.status).toBe(200);
  expect(file.headers.get("Content-Type")).toContain("text/css");
});
