import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Browser } from "@playwright/test";
import { Secret, TOTP } from "otpauth";
import { askWith, OWN } from "../e2e/ask.ts";
import { OAuthPerson } from "../e2e/oauth-person.ts";
import { runScript } from "../e2e/script.ts";
import { expect, test } from "./fixtures.ts";
import { ANSWERS, type Fixture } from "./upgrade/fixture.ts";
import { install } from "./upgrade/installation.ts";
import { throughPort } from "./upgrade/through-port.ts";

// What a copy of an earlier release has left behind goes on working with today's code. The states are made by
// upgrade/make-state.ts; whatever in them would end by itself lasts until 2099 (upgrade/lengthen.ts).

const STATES = join(import.meta.dirname, "upgrade");
const releases = readdirSync(STATES).flatMap((name) => /^state-(.*)\.json$/.exec(name)?.[1] ?? []);

type Hit = Partial<Record<"document" | "memory", { id: string | number }>>;

for (const release of releases)
  test(`a copy of the release of ${release} goes on after an upgrade`, async ({ start, folder }) => {
    const fixture = JSON.parse(readFileSync(join(STATES, `state-${release}.json`), "utf8")) as Fixture;
    const { ada, grace, documents, memories } = fixture;
    execFileSync("tar", ["-xzf", join(STATES, `state-${release}.tar.gz`), "-C", folder]);
    const answers: Record<string, Record<string, unknown>> = JSON.parse(
      readFileSync(join(folder, ANSWERS), "utf8"),
    );
    const cwd = join(folder, "copy");
    mkdirSync(cwd);
    // Built here, because the installation only refers to what is built.
    await runScript("build", [], {});
    install(".", cwd, fixture.secrets);
    const settings = { MCP_URL: fixture.mcp_url };
    const service = await start(join(folder, "state"), settings, undefined, { command: "start", cwd });
    const ask = askWith(service.apiUrl, ada.api_key);

    const post = async (path: string, body: object) => {
      const answer = await fetch(service.apiUrl + path, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
      return { status: answer.status, body: (await answer.json()) as Record<string, string> };
    };

    const whoHas = async (headers: Record<string, string>) => {
      const answer = await fetch(`${service.apiUrl}/api/auth/me`, { headers });
      return ((await answer.json()) as { email?: string }).email;
    };

    const found = async (word: string) => {
      const { results } = await ask<{ results: Hit[] }>("GET", `/api/search?type=all&q=${word}`);
      return results.map(({ document, memory }) => (document ?? memory)?.id);
    };

    await test.step("the password signs in, and the sessions of a program and of a browser go on", async () => {
      const { email, password, refresh_token, cookie } = ada;
      const signedIn = await post("/api/auth/login", { email, password });
      expect(signedIn.status).toBe(200);
      expect(await whoHas({ Authorization: `Bearer ${signedIn.body.access_token}` })).toBe(email);
      const renewed = await post("/api/auth/refresh", { refresh_token });
      expect(renewed.status).toBe(200);
      expect(await whoHas({ Authorization: `Bearer ${renewed.body.access_token}` })).toBe(email);
      expect(await whoHas({ ...OWN, Cookie: cookie })).toBe(email);
    });

    await test.step("an authenticator app's codes are still right", async () => {
      const { totp_secret, ...account } = grace;
      const code = new TOTP({ secret: Secret.fromBase32(totp_secret) }).generate();
      expect((await post("/api/auth/login", account)).status).not.toBe(200);
      expect((await post("/api/auth/login", { ...account, code })).status).toBe(200);
    });

    await test.step("the API key reads everything as the earlier release answered", async () => {
      expect(Object.keys(answers).length).toBeGreaterThan(20);
      for (const [path, answer] of Object.entries(answers)) {
        const now = await ask<Record<string, unknown>>("GET", path);
        // There may be more fields by now. What is meant to differ from an earlier release has to be excepted here.
        expect(now, path).toMatchObject(answer);
      }
      expect(await found("quokka")).toEqual([documents.long]);
      expect(await found("almonds")).toEqual([memories.deferred]);
    });

    await test.step("a connected MCP client goes on without asking its user again", async () => {
      const { client_id, redirect_uri, refresh_token } = fixture.client;
      const person = new OAuthPerson(redirect_uri, {} as Browser, ada);
      const issuer = new URL(fixture.mcp_url).origin;
      person.client = { client_id, issuer };
      person.given = { access_token: "long expired", refresh_token, token_type: "bearer", issuer };
      const client = new Client({ name: "official", version: "1.0.0" });
      const transport = new StreamableHTTPClientTransport(new URL(fixture.mcp_url), {
        authProvider: person as never,
        fetch: throughPort(service.mcpUrl),
      });
      await client.connect(transport);
      const answer = await client.callTool({ name: "search", arguments: { query: "quokka" } });
      await client.close();
      expect(JSON.stringify(answer.structuredContent)).toContain("Field notes");
      expect(person).toMatchObject({ asked: 0, saved: 1 });
    });

    await test.step("documents can be changed and records resolved, and the search finds both", async () => {
      const { version } = await ask<{ version: number }>("GET", `/api/documents/${documents.long}`);
      const put = askWith(service.apiUrl, ada.api_key, { "If-Match": `"v${version}"` });
      const content = { format: "markdown", text: "The quokka went away; an echidna came." };
      await put("PUT", `/api/documents/${documents.long}`, { content });
      expect(await found("echidna")).toEqual([documents.long]);
      expect(await found("wind")).toEqual([]);
      const path = `/api/memories/${memories.commitment}`;
      await ask("POST", `${path}/resolve`, { resolution_note: "Sent by pigeon" });
      expect(await ask("GET", path)).toMatchObject({ status: "resolved", due_date: "2099-03-01" });
      expect(await found("pigeon")).toEqual([memories.commitment]);
      await ask("POST", `/api/documents/${documents.trashed}/restore`);
      expect(await ask("GET", `/api/documents/${documents.trashed}`)).toMatchObject({ title: "Old draft" });
    });
  });
