import { describe, expect, test } from "vitest";
import { app } from "../../src/app.ts";
import { person } from "../kit/client.ts";
import { NOBODYS, NOBODYS_ID } from "../kit/operations.ts";

describe("a known path", () => {
  const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

  const routes = app.routes.filter(({ method }) => method !== "ALL");
  const pattern = (path: string) => new RegExp(`^${path.replace(/:\w+/g, "[^/]+").replace("*", ".*")}$`);
  const example = (path: string) =>
    path.replace(/:(\w+)/g, (_, name: string) => NOBODYS[name] ?? NOBODYS_ID).replace("*", "mcp");

  /** Every path of the app, including pages and MCP, with its methods. */
  const paths = new Map(
    routes.map(({ path }) => {
      const known = routes.filter((route) => pattern(route.path).test(example(path)));
      return [example(path), new Set(known.map(({ method }) => method))];
    }),
  );

  test("refuses another method with 405 and lists those that it supports", async () => {
    const ada = await person();
    for (const path of [
      "/api/documents",
      "/mcp",
      "/authorize",
      "/sign-in",
      "/oauth/token",
      "/docs",
      "/health",
    ])
      expect([...paths.keys()]).toContain(path);
    for (const [path, methods] of paths) {
      for (const method of METHODS.filter((one) => !methods.has(one))) {
        const answer = await ada.fetch(path, { method, redirect: "manual" });
        const allowed = (answer.headers.get("Allow") ?? "")
          .split(", ")
          .filter((one) => METHODS.includes(one));
        const known = [...methods].filter((one) => METHODS.includes(one));
        const name = `${method} ${path}`;
        expect([answer.status, allowed.sort()], name).toEqual([405, known.sort()]);
        expect(await answer.json(), name).toEqual({ detail: expect.stringContaining([...methods][0] ?? "") });
      }
    }
  });

  test("answers HEAD like GET, without a body", async () => {
    const ada = await person();
    const reading = [...paths].filter(([path, methods]) => methods.has("GET") && path !== "/mcp");
    expect(reading.length).toBeGreaterThan(20);
    for (const [path] of reading) {
      const [get, head] = [
        await ada.fetch(path, { redirect: "manual" }),
        await ada.fetch(path, { method: "HEAD", redirect: "manual" }),
      ];
      await get.body?.cancel();
      expect([head.status, await head.text()], path).toEqual([get.status, ""]);
    }
  });

  test("is distinguished from an unknown one, which is a 404 for every method", async () => {
    const ada = await person();
    for (const path of ["/nothing", "/api/nothing", "/api/documents/x/y/z", "/oauth/nothing", "/mcp/nothing"])
      for (const method of METHODS) {
        const answer = await ada.fetch(path, { method });
        expect([answer.status, await answer.text()], path).toEqual([404, '{"detail":"Not found"}']);
      }
  });
});
