import { expect, test } from "vitest";
import { ADA, asUser } from "./accounts.ts";
import { create, sharedService } from "./instances.ts";
import { listeningPorts, processTree } from "./processes.ts";
import { raw } from "./raw.ts";
import { register } from "./service.ts";

// What strangers can reach: the two ports, whatever they send to them, and nothing else.

let token: string;
const shared = sharedService(
  { API_URL: "https://notes.example", ALLOWED_HOSTS: "box.local, other.example", REGISTRATION: "open" },
  async () => {
    token = await register(shared.service.apiUrl, ADA);
  },
);

/** What wrangler offers to a developer. */
const TOOLS = ["handler/scheduled", "mf/scheduled", "local/scheduled", "local/scheduled?cron=x"];
TOOLS.push("local/email", "explorer", "local/explorer");

test("neither port serves wrangler's developer endpoints, however the path is spelled", async () => {
  const { apiUrl, mcpUrl } = shared.service;
  const prefixes = ["", "/", "/x/..", "/."].map((before) => `${before}/cdn-cgi`);
  prefixes.push("/%63dn-cgi", "/CDN-CGI", "/\\cdn-cgi", "/./cdn%2Dcgi");
  for (const url of [apiUrl, mcpUrl]) {
    for (const path of prefixes.flatMap((prefix) => TOOLS.map((tool) => `${prefix}/${tool}`))) {
      const answer = await raw(url, `GET ${path} HTTP/1.1\r\nHost: localhost`);
      expect(answer, path).toMatchObject({
        status: 404,
        body: expect.stringContaining('{"detail":"Not found"}'),
      });
    }
    const absolute = await raw(url, `GET ${url}/cdn-cgi/local/scheduled HTTP/1.1\r\nHost: localhost`);
    expect(absolute.status).toBe(400);
  }
});

test("behind a proxy with TLS, the log says once that MCP_URL is missing", async () => {
  const ask = (path: string) =>
    raw(shared.service.mcpUrl, `GET ${path} HTTP/1.1\r\nHost: notes.example\r\nX-Forwarded-Proto: https`);
  const lines = () => shared.service.output().match(/^.*MCP_URL is http.*$/gm) ?? [];
  for (const path of ["/mcp", "/.well-known/oauth-protected-resource/mcp", "/mcp"]) await ask(path);
  await expect
    .poll(lines)
    .toEqual([
      expect.stringMatching(
        /^A client requested https:\/\/notes\.example\/mcp .* set MCP_URL to https:\/\/notes\.example\/mcp$/,
      ),
    ]);
});

test("a large body with a credential that is not valid is answered 401, so that clients sign in again", async () => {
  const { apiUrl, mcpUrl } = shared.service;
  const json = JSON.stringify({ title: "T", content: { text: "x".repeat(900_000) } });
  const asked: [url: string, body: string | Buffer][] = [
    [`${mcpUrl}/mcp`, json],
    [`${apiUrl}/api/import`, Buffer.alloc(20_000_000)],
  ];
  for (const [url, body] of asked) {
    const init = { method: "POST", headers: asUser("expired"), body };
    const answers = Array.from({ length: 8 }, () => fetch(url, init));
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses, url).toEqual(Array(8).fill(401));
  }
});

test("twenty of the largest bodies at once do not end the runtime", async () => {
  const { apiUrl, pid } = shared.service;
  const headers = asUser(token);
  const runtimes = () => processTree(pid).filter(({ command }) => command.includes("workerd serve"));
  const before = runtimes();
  // Of all JSON, empty objects take the most memory for their length.
  const body = JSON.stringify({ title: "x", content: { list: Array(330_000).fill({}) } });
  const create = () => fetch(`${apiUrl}/api/documents`, { method: "POST", headers, body });
  const answers = await Promise.all(Array.from({ length: 20 }, create));
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201));
  await Promise.all(answers.map(({ body }) => body?.cancel()));
  expect(runtimes()).toEqual(before);
});

test("a request that quotes what SQLite says of a full disk does not stop writes", async () => {
  const { apiUrl, mcpUrl, output } = shared.service;
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const answer = await fetch(`${mcpUrl}/mcp`, {
    method: "POST",
    headers: {
      ...{ ...asUser(token), Accept: "application/json, text/event-stream" },
      ...{ "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "SQLITE_FULL" },
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta } }),
  });
  expect(answer.status).toBe(400);
  await expect.poll(output).toMatch(/^\{"mcp":".*SQLITE_FULL/m);
  expect(await (await fetch(`${apiUrl}/health`)).json()).toEqual({ status: "ok" });
  expect((await create(apiUrl, token, "Written")).status).toBe(201);
});

test("a client's own MF- headers change nothing", async () => {
  const { apiUrl, mcpUrl } = shared.service;
  const names = [
    "CF-Blob",
    "Original-URL",
    "Original-Hostname",
    "Proxy-Shared-Secret",
    "Route-Override",
    "Op",
  ];
  const values = ["x", "http://evil.example/openapi.json", "{}"];
  for (const url of [apiUrl, mcpUrl]) {
    for (const [name, value] of names.flatMap((name) => values.map((value) => [name, value] as const))) {
      const answer = await fetch(`${url}/health`, { headers: { [`MF-${name}`]: value } });
      expect([answer.status, await answer.json()], `${name}: ${value}`).toEqual([200, { status: "ok" }]);
    }
  }
});

test("an unknown Host is refused (DNS rebinding), and a configured one is served", async () => {
  const { apiUrl, mcpUrl } = shared.service;
  const ask = async (url: string, host: string, path = "/health") =>
    (await raw(url, `GET ${path} HTTP/1.1\r\nHost: ${host}`)).status;
  const served = ["localhost", "LOCALHOST:1", "127.0.0.1", "192.168.1.7:80", "[::1]", "notes.example"];
  const strange = ["evil.example", "evil.example@localhost", "x y", "", "localhost, evil.example"];
  strange.push("localhost.evil.example", "127.0.0.1.evil.example");
  for (const url of [apiUrl, mcpUrl]) {
    for (const host of [...served, "box.local:8000"]) expect(await ask(url, host), host).toBe(200);
    for (const host of strange) {
      for (const path of ["/health", "/pages/style.css"]) expect(await ask(url, host, path), host).toBe(421);
    }
    const { body } = await raw(url, "GET / HTTP/1.1\r\nHost: evil.example");
    expect(body).toContain("ALLOWED_HOSTS");
  }
});

test("no other socket of the instance serves anything", async () => {
  const own = [shared.service.apiUrl, shared.service.mcpUrl].map((url) => Number(new URL(url).port));
  const ports = listeningPorts(shared.service.pid);
  expect(ports).toEqual(expect.arrayContaining(own));
  const paths = ["", "health", "docs", "json", "json/version", "openapi.json", "api/auth/me", "documents/1"];
  paths.push("core/public-url", "pages/style.css", "docs/docs.css", "cdn-cgi/local/platform-proxy");
  for (const port of ports.filter((port) => !own.includes(port))) {
    for (const path of [...paths, ...TOOLS.map((tool) => `cdn-cgi/${tool}`)]) {
      const url = `http://127.0.0.1:${port}/${path}`;
      const answer = await fetch(url, { headers: { "X-Front-Secret": "guess" } });
      expect(answer.status, `${url}: ${await answer.text()}`).toBeGreaterThanOrEqual(400);
    }
  }
});
