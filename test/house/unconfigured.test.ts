import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Buffer } from "node:buffer";
import { describe, expect, test, vi } from "vitest";
import { app } from "../../src/app.ts";
import type { Env } from "../../src/env.ts";
import * as email from "../../src/features/auth/email/routes.ts";
import { deleteMeRoute } from "../../src/features/auth/routes.ts";
import { createDocumentRoute, deleteDocumentRoute } from "../../src/features/documents/routes.ts";
import { formatMime } from "../../src/platform/email/mime.ts";
import { AppPage } from "../kit/app-page.ts";
import { BASE, PASSWORD, person } from "../kit/client.ts";
import { ConfiguredClient } from "../kit/database.ts";
import { cron } from "../kit/hooks.ts";
import { jsonOf, NOBODYS_ID, nameOf, operations, pathOf } from "../kit/operations.ts";
import { upload } from "../kit/stored-files.ts";

// A deployment whose operator has not set everything yet, and how its mails leave it then.

describe("a deployment without a good JWT_SECRET", () => {
  const ask = (method: string, path: string, settings: Partial<Env>) => {
    const body = method === "POST" && { body: "{}", headers: { "Content-Type": "application/json" } };
    const bindings = { ...env, ...settings } as Env;
    return app.request(`${BASE}${path}`, { method, ...body }, bindings, createExecutionContext());
  };

  test.for([
    ["GET", "/health"],
    ["POST", "/api/auth/login"],
    ["POST", "/api/auth/register"],
    ["POST", "/api/auth/password-reset"],
    ["GET", "/api/documents"],
    ["POST", "/mcp"],
    ["POST", "/oauth/token"],
    ["GET", "/sign-in"],
    ["GET", "/"],
  ] as const)("answers %s %s with what to set", async ([method, path]) => {
    const missing = await ask(method, path, { JWT_SECRET: undefined as never });
    expect(missing.status).toBe(503);
    expect(Number(missing.headers.get("Retry-After"))).toBeGreaterThan(0);
    const { detail } = (await missing.json()) as { detail: string };
    expect(detail).toMatch(/^JWT_SECRET is not set: set it to a random secret of at least 32 bytes, with /);
    const short = await ask(method, path, { JWT_SECRET: "short" });
    const tooShort = expect.stringContaining("JWT_SECRET is too short");
    expect([short.status, await short.text()]).toEqual([503, tooShort]);
    const old = await ask(method, path, { JWT_SECRET_PREVIOUS: "short" });
    expect(await old.text()).toContain("JWT_SECRET_PREVIOUS is too short");
  });
});

describe("a deployment without a bucket", () => {
  test("says so where files are asked for, and does everything else", async () => {
    const ada = await person();
    const without = new ConfiguredClient(ada, { FILES: undefined as never });
    const ofFiles = operations.filter(({ path }) => path.startsWith("/api/files"));
    expect(ofFiles.length).toBeGreaterThan(15);
    for (const route of ofFiles) {
      const given = { beginUpload: { name: "x", bytes: 1 }, replaceFile: { by: NOBODYS_ID } };
      const body = jsonOf(route) && JSON.stringify({ ...given[route.operationId as keyof typeof given] });
      const headers = { "Content-Length": "1", ...(body && { "Content-Type": "application/json" }) };
      const init = { method: route.method.toUpperCase(), headers, ...(body && { body }) };
      const answer = await without.fetch(pathOf(route), init);
      expect([answer.status, answer.headers.get("Error-Code")], nameOf(route)).toEqual([501, "no_files"]);
    }
    expect((await without.fetch("/api/files", { headers: { Authorization: "Bearer x" } })).status).toBe(401);
    const { id } = await without.ok(createDocumentRoute, { json: { title: "Plan", content: {} } });
    await without.call(deleteDocumentRoute, { params: { document_id: id }, query: { permanent: "true" } });
    await upload(ada);
    await cron({ FILES: undefined as never });
    expect((await without.call(deleteMeRoute, { json: { password: PASSWORD } })).status).toBe(204);
  });
});

describe("a deployment without a mail server", () => {
  const without = (settings: Partial<Env>) =>
    new AppPage({ env: { EMAIL: undefined as never, SMTP_URL: "", ...settings } });
  const reset = async (settings: Partial<Env>, to: string) => {
    const log = vi.spyOn(console, "info").mockImplementation(() => undefined);
    const { status } = await without(settings).call(email.resetPasswordRoute, { json: { email: to } });
    const printed = log.mock.calls.flat().join("\n");
    log.mockRestore();
    return { status, printed };
  };

  test("prints a link only if it is told to, whatever other secrets it has", async () => {
    const to = `${crypto.randomUUID()}@example.com`;
    await person({ email: to });
    for (const settings of [{ MAIL: "" }, { FRONT_SECRET: "" }]) {
      expect(await reset(settings, to)).toEqual({ status: 403, printed: "" });
    }
    const told = await reset({ MAIL: "terminal" }, to);
    expect(told.status).toBe(202);
    expect(told.printed).toContain("/sign-in/new-password#");
  });
});

test.for(["字".repeat(100), "🎒".repeat(80), `${"ä".repeat(44)}🎒`, "Grüße an Ada\r\nBcc: eve@example.com"])(
  "the encoded words of the subject %s are at most 75 characters long, and whole",
  (subject) => {
    const letter = { from: "a@example.com", to: "b@example.com", subject, text: "", html: "" };
    const mail = formatMime(letter, { date: new Date(0), id: "id" });
    const [header = ""] = /Subject: [^\r]*(\r\n [^\r]*)*/.exec(mail) ?? [];
    const words = header.replace("Subject: ", "").split("\r\n ");
    expect(Math.max(...words.map((word) => word.length))).toBeLessThanOrEqual(75);
    const texts = words.map((word) => /^=\?UTF-8\?B\?(.+)\?=$/.exec(word)?.[1] ?? "");
    const decoder = () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    expect(texts.map((text) => decoder().decode(Buffer.from(text, "base64"))).join("")).toBe(subject);
  },
);
