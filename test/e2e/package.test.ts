import { execFile, spawn } from "node:child_process";
import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { Client as ModernClient } from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernTransport } from "@modelcontextprotocol/client/stdio";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { ADA } from "./accounts.ts";
import { allow, launch } from "./browser.ts";
import { folder as ownFolder, start } from "./instances.ts";
import { listen } from "./loopback.ts";
import { INFO } from "./official-clients.ts";
import { register, temporaryFolder } from "./service.ts";

// The npm package: packed, installed from its file into an empty folder, and used by clients that start it.

const run = promisify(execFile);

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
/** What npm links in the folder where the package is installed. */
let program: string;
let env: Record<string, string>;

beforeAll(async () => {
  folder = await temporaryFolder();
  const installed = join(folder.path, "installed");
  await mkdir(installed);
  const { stdout } = await run("npm", ["run", "--silent", "package", "--", "--folder", folder.path]);
  await writeFile(join(installed, "package.json"), "{}");
  const file = join(folder.path, stdout.trim());
  await run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", file], { cwd: installed });
  program = join(installed, "node_modules", ".bin", "commonplace");
  env = { PATH: process.env.PATH ?? "", HOME: folder.path, STATE_DIR: join(folder.path, "data") };
}, 300_000);

afterAll(async () => {
  await run(program, ["stop"], { env }).catch(() => undefined);
  await folder?.remove();
});

const parts = (args: string[] = [], more: Record<string, string> = {}) => ({
  ...{ command: program, args: ["mcp", ...args], env: { ...env, ...more }, stderr: "inherit" as const },
});

test("is at most 60 MB beside the runtime", async () => {
  const modules = join(folder.path, "installed", "node_modules");
  const { stdout } = await run("du", ["--apparent-size", "-sk", "--exclude=workerd*", modules]);
  expect(Number.parseInt(stdout, 10)).toBeLessThan(60 * 1024);
});

describe("a client that starts it, without any copy or account", () => {
  test("gets its first answer, and another one that starts at the same moment the same copy and account, in both generations", async () => {
    const legacy = new Client(INFO);
    const modern = new ModernClient(INFO, { versionNegotiation: { mode: "auto" } });
    await Promise.all([
      legacy.connect(new StdioClientTransport(parts()), { timeout: 110_000 }),
      modern.connect(new ModernTransport(parts()), { timeout: 110_000 }),
    ]);
    const call = {
      name: "remember",
      arguments: { memory_type: "commitment", topic: "Quote", content: "Send it" },
    };
    expect((await legacy.callTool(call)).isError).toBeFalsy();
    const { structuredContent } = (await modern.callTool({ name: "whoami", arguments: {} })) as {
      structuredContent: Record<string, unknown>;
    };
    expect(structuredContent).toMatchObject({ email: "owner@commonplace.localhost", active_records: 1 });
    expect((await modern.listTools()).tools.length).toBeGreaterThan(10);
    await Promise.all([legacy.close(), modern.close()]);
    for (const name of ["account.json", "secrets", "log"])
      expect((await stat(join(folder.path, "data", name))).mode & 0o777, name).toBe(0o600);
  });

  test("tidies up the file of another memory, offline", async () => {
    const file = join(folder.path, "memory.jsonl");
    const observations = ["prefers tea over coffee", "Prefers tea, over coffee."];
    await writeFile(file, JSON.stringify({ type: "entity", name: "Grace", observations }));
    expect((await run(program, ["tidy", file])).stdout).toContain("50 % of them duplicate another");
  });

  test("imports and backs up with the account that it made", async () => {
    const notes = join(folder.path, "notes");
    await mkdir(notes);
    await writeFile(join(notes, "Plan.md"), "# Plan\n\nzebra");
    expect((await run(program, ["import", notes], { env })).stdout).toContain("1 created");
    await run(program, ["backup", join(folder.path, "backup")], { env });
    expect(await readdir(join(folder.path, "backup"))).toContain("manifest.json");
  });

  test("restores a backup into another folder", async () => {
    const restored = { ...env, STATE_DIR: join(folder.path, "restored") };
    const { stdout } = await run(program, ["restore", join(folder.path, "backup")], { env: restored });
    expect(stdout).toContain(`Restored into ${restored.STATE_DIR}`);
  });

  test("is not served by a second copy, and goes on after a stop", async () => {
    const second = await run(program, ["start"], { env }).catch((problem) => problem);
    expect(second.stderr).toContain("already uses");
    expect((await run(program, ["stop"], { env })).stdout).toContain("Stopped");
    const again = await expect.poll(() => run(program, ["stop"], { env }).catch(({ stderr }) => stderr));
    await again.toContain("No copy is running");
    const client = new Client(INFO);
    await client.connect(new StdioClientTransport(parts()), { timeout: 110_000 });
    const found = await client.callTool({ name: "search", arguments: { query: "zebra" } });
    expect(JSON.stringify(found.structuredContent)).toContain("Plan");
    await client.close();
  });
});

test("a copy elsewhere is reached after one sign-in in the browser", async () => {
  const service = await start(await ownFolder());
  await register(service.apiUrl, ADA);
  const opener = join(folder.path, "opener");
  const page = join(folder.path, "page");
  await writeFile(opener, `#!/bin/sh\nprintf %s "$1" > ${page}\n`);
  await chmod(opener, 0o755);
  const away = { STATE_DIR: join(folder.path, "away"), BROWSER: opener };
  const args = ["--url", `${service.mcpUrl}/mcp`];
  const browser = await launch();
  onTestFinished(() => browser.close());
  const signingIn = new Client(INFO);
  const connected = signingIn.connect(new StdioClientTransport(parts(args, away)), { timeout: 110_000 });
  const read = () => readFile(page, "utf8").catch(() => "");
  await expect.poll(read).toContain("/authorize?");
  await allow(browser, await read(), ADA);
  await connected;
  expect(JSON.stringify(await signingIn.callTool({ name: "whoami", arguments: {} }))).toContain(ADA.email);
  await signingIn.close();
  await writeFile(page, "");
  const later = new ModernClient(INFO, { versionNegotiation: { mode: "auto" } });
  await later.connect(new ModernTransport(parts(args, away)));
  expect(JSON.stringify(await later.callTool({ name: "whoami", arguments: {} }))).toContain(ADA.email);
  await later.close();
  expect(await read()).toBe("");
});

describe("what a client sends", () => {
  type Heard = { body: Record<string, unknown>; headers: IncomingMessage["headers"]; method?: string };

  /** A server that answers as it is told, and keeps what it hears. */
  async function listener(answer: (heard: Heard, response: ServerResponse) => void) {
    const heard: (Heard & { response: ServerResponse })[] = [];
    const server = createServer(async (request, response) => {
      const { method = "", headers } = request;
      const sent = await text(request);
      const one = { method, headers, body: sent ? JSON.parse(sent) : {}, response };
      heard.push(one);
      answer(one, response);
    });
    const { url, close } = await listen(server);
    onTestFinished(close);
    return { heard, url: `${url}/mcp` };
  }

  function bridge(url: string) {
    const child = spawn(program, ["mcp", "--url", url], { env, stdio: ["pipe", "pipe", "inherit"] });
    let printed = "";
    child.stdout.on("data", (chunk) => {
      printed += String(chunk);
    });
    const said = (): unknown[] =>
      printed
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    const send = (message: object | string) =>
      child.stdin.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`);
    /** Closes the stream, and waits until the program has ended. */
    const end = async () => {
      child.stdin.end();
      await new Promise((done) => child.once("close", done));
    };
    return { said, send, end };
  }

  const json = (response: ServerResponse, status: number, body?: object, headers = {}) =>
    response
      .writeHead(status, { "Content-Type": "application/json", ...headers })
      .end(body && JSON.stringify(body));

  const MODERN = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };

  test("of the newer generation carries its headers, and a cancelled request ends its connection", async () => {
    const server = await listener((one, response) => {
      if (one.body.method === "server/discover")
        json(response, 200, { jsonrpc: "2.0", id: one.body.id, result: {} });
    });
    const { said, send, end } = bridge(server.url);
    const request = { jsonrpc: "2.0", params: { name: "search", arguments: {}, _meta: MODERN } };
    send({ ...request, id: 1, method: "server/discover" });
    send({ ...request, id: "two", method: "tools/call" });
    await expect.poll(() => server.heard.length).toBe(2);
    expect(server.heard[1]?.headers).toMatchObject({
      ...{ "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "search" },
    });
    send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "two" } });
    await expect.poll(() => server.heard[1]?.response.destroyed).toBe(true);
    expect(said()).toEqual([{ jsonrpc: "2.0", id: 1, result: {} }]);
    for (const line of ["{", "null", "[3]"]) send(line);
    await expect
      .poll(() => said().slice(1))
      .toMatchObject([-32700, -32600, -32600].map((code) => ({ error: { code } })));
    await end();
  });

  test("gives the answers to what a client has sent before it closes the stream", async () => {
    const server = await listener(({ body }, response) => {
      setTimeout(() => json(response, 200, { jsonrpc: "2.0", id: body.id, result: {} }), 100);
    });
    const { said, send, end } = bridge(server.url);
    for (const id of [1, 2])
      send({ jsonrpc: "2.0", id, method: "server/discover", params: { _meta: MODERN } });
    await end();
    expect(said()).toHaveLength(2);
  });

  test("of the older one keeps its session, passes its notifications on, and begins again when it was forgotten", async () => {
    let sessions = 0;
    const forgotten = new Set<unknown>();
    const server = await listener(({ body, headers }, response) => {
      const session = headers["mcp-session-id"];
      const reply = (result: object, more = {}) =>
        json(response, 200, { jsonrpc: "2.0", id: body.id, result }, more);
      if (body.method === "initialize") {
        const session = { "Mcp-Session-Id": `s${++sessions}` };
        return reply({ protocolVersion: "2025-11-25", capabilities: {}, serverInfo: INFO }, session);
      }
      const refused = [
        { when: forgotten.has(session), status: 404, given: { detail: "no such session" } },
        { when: body.method === undefined, status: 405 },
        { when: body.id === undefined, status: 202 },
        { when: body.method === "broken", status: 400, given: { detail: "field: what is wrong" } },
      ].find(({ when }) => when);
      if (refused) return json(response, refused.status, refused.given);
      return reply({ session, version: headers["mcp-protocol-version"] });
    });
    const { said, send, end } = bridge(server.url);
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: INFO };
    send({ jsonrpc: "2.0", id: 0, method: "initialize", params });
    send({ jsonrpc: "2.0", method: "notifications/initialized" });
    send({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    await expect
      .poll(() => said()[1])
      .toMatchObject({ id: 1, result: { session: "s1", version: "2025-11-25" } });
    send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    await expect
      .poll(() => server.heard.some(({ body }) => body.method === "notifications/cancelled"))
      .toBe(true);
    forgotten.add("s1");
    for (const id of ["two", "three"]) send({ jsonrpc: "2.0", id, method: "tools/list" });
    await expect.poll(() => said().length).toBe(4);
    const result = expect.objectContaining({ session: "s2" });
    expect(said().slice(2)).toEqual(
      expect.arrayContaining(["two", "three"].map((id) => expect.objectContaining({ id, result }))),
    );
    send({ jsonrpc: "2.0", id: 4, method: "broken" });
    await expect.poll(() => said()[4]).toMatchObject({ id: 4, error: { message: "field: what is wrong" } });
    await end();
    expect(server.heard.at(-1)).toMatchObject({ method: "DELETE" });
  });
});
