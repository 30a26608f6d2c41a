import { execFile, spawn } from "node:child_process";
import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { ADA } from "./accounts.ts";
import { type Ask, askWith } from "./ask.ts";
import { sharedService } from "./instances.ts";
import { listen } from "./loopback.ts";
import { nightly } from "./nightly.ts";
import { register } from "./service.ts";

// The hook program as Claude Code and Codex run it: JSON in, JSON out, an exit code, and a time limit.

const HOOK = resolve("plugin/hooks/commonplace.mjs");
const PROMISE = { memory_type: "commitment", due_date: "2026-01-02" };
const RECORDS = [
  { ...PROMISE, topic: "Quote", content: "Send the quote", project: "Apollo" },
  { memory_type: "preference", topic: "Tone", content: "Short answers" },
  { ...PROMISE, topic: "Rent", content: "Pay the rent", project: "Home" },
];

let ask: Ask;
const shared = sharedService({}, async ({ service }) => {
  ask = askWith(service.apiUrl, await register(service.apiUrl, ADA));
  for (const record of RECORDS) await ask("POST", "/api/memories", record);
});

const createKey = () =>
  ask<{ id: string; key: string }>("POST", "/api/api-keys", { name: "Plugin", scopes: ["briefing:read"] });

/** Starts a server that handles requests like this. Returns the address of its MCP endpoint. */
async function serve(handle: RequestListener): Promise<string> {
  const { url, close } = await listen(createServer(handle));
  onTestFinished(close);
  return `${url}/mcp`;
}

type Ran = { code: number | null; out: string; err: string };

/** Settings of Node with which the hook's timers run out after this many milliseconds. */
const clock = (length: string) => {
  const code = `const real = setTimeout;
    globalThis.setTimeout = (act, ms, ...more) => real(act, ${length}, ...more);
    AbortSignal.timeout = () => new AbortController().signal;`;
  return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(code)}` };
};
const NEVER = "2 ** 31 - 1";
/** On a busy machine the hook could time out before it has its answer; with this clock it never does. */
const PATIENT = clock(NEVER);
/** A timer of up to two seconds runs out at once, a longer one never. */
const AFTER_TWO_SECONDS = clock(`ms > 2000 ? ${NEVER} : 0`);
const REAL = { NODE_OPTIONS: "" };

/** Runs the hook with an event on its standard input. Without one, the input stays open. */
function run(input?: object | string, settings: Record<string, string> = {}): Promise<Ran> {
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: shared.folder,
    PLUGIN_DATA: join(shared.folder, "data"),
    ...{ ...PATIENT, ...settings },
  };
  const child = spawn("node", [HOOK], { env, stdio: ["pipe", "pipe", "pipe"] });
  const printed = [text(child.stdout), text(child.stderr)] as const;
  child.stdin.on("error", () => {});
  if (input !== undefined) child.stdin.end(typeof input === "string" ? input : JSON.stringify(input));
  return new Promise((done) =>
    child.once("close", async (code) => done({ code, out: await printed[0], err: await printed[1] })),
  );
}

let sessions = 0;
const event = (hook_event_name: string, more: object = {}) => ({
  ...{
    session_id: `session-${sessions}`,
    transcript_path: null,
    cwd: shared.folder,
    permission_mode: "default",
  },
  ...{ hook_event_name, ...more },
});
afterEach(() => {
  sessions += 1;
});

const SILENT = { code: 0, out: "", err: "" };

const project = async (name: string, files: Record<string, string> = {}) => {
  const path = join(shared.folder, "work", name);
  await mkdir(path, { recursive: true });
  for (const [file, text] of Object.entries(files)) {
    await mkdir(join(path, file, ".."), { recursive: true });
    await writeFile(join(path, file), text);
  }
  return path;
};

const settingsFor = (key: string, address = `${shared.service.mcpUrl}/mcp`) => ({
  CLAUDE_PLUGIN_OPTION_API_KEY: key,
  CLAUDE_PLUGIN_OPTION_ADDRESS: address,
});

const contextOf = ({ out }: Ran): string => JSON.parse(out).hookSpecificOutput.additionalContext;

describe("at the beginning of a conversation", () => {
  test("the briefing is about the project that is named like the folder, the remote, or as the person says", async () => {
    const { key } = await createKey();
    const settings = settingsFor(key);
    const remote = {
      ".git/config": '[core]\n\tbare = false\n[remote "origin"]\n\turl = git@host:team/Apollo.git\n',
    };
    const ways: [cwd: string, more?: Record<string, string>][] = [
      [await project("apollo")],
      [await project("src", { ".git/HEAD": "" }), { CLAUDE_PLUGIN_OPTION_PROJECT: "Apollo" }],
      [await project("checkout", remote)],
      [await project("checkout/deep/inside")],
      [await project("tree", { ".git": `gitdir: ${shared.folder}/work/checkout/.git/worktrees/tree\n` })],
      [await project("other", { ".commonplace": "Apollo\n" })],
    ];
    await project("checkout/.git/worktrees/tree", { commondir: "../..\n" });
    for (const [cwd, more] of ways) {
      const ran = await run(
        { ...event("SessionStart", { source: "startup" }), cwd },
        { ...settings, ...more },
      );
      expect(ran, cwd).toMatchObject({ code: 0, err: "" });
      expect(JSON.parse(ran.out).hookSpecificOutput.hookEventName).toBe("SessionStart");
      expect(contextOf(ran), cwd).toMatch(
        /^# Commonplace: Apollo\n[\s\S]*Quote: Send the quote[\s\S]*Short answers/,
      );
      expect(contextOf(ran), cwd).not.toContain("rent");
    }
    const elsewhere = await run(
      event("SessionStart", { source: "startup", cwd: await project("nothing") }),
      settings,
    );
    expect(contextOf(elsewhere)).toContain("Pay the rent");
  });

  test("Codex, which passes no options, is served from the environment", async () => {
    const { key } = await createKey();
    const settings = { COMMONPLACE_API_KEY: key, COMMONPLACE_ADDRESS: `${shared.service.mcpUrl}/mcp` };
    const sent = event("SessionStart", { model: "gpt", source: "startup", cwd: await project("apollo") });
    expect(contextOf(await run(sent, settings))).toContain("# Commonplace: Apollo");
  });

  test("a revoked key is said once to the person, and nothing to the model", async () => {
    const { id, key } = await createKey();
    await ask("DELETE", `/api/api-keys/${id}`);
    const ran = await run(event("SessionStart", { source: "startup" }), settingsFor(key));
    expect(ran).toMatchObject({ code: 0, err: "" });
    expect(JSON.parse(ran.out)).toEqual({ systemMessage: expect.stringContaining("Create another one") });
  });

  test("without a key, nothing is said and nothing is asked", async () => {
    expect(await run(event("SessionStart", { source: "startup" }))).toMatchObject(SILENT);
  });
});

describe("nothing stands in the way", () => {
  const start = () => event("SessionStart", { source: "startup" });

  test("without a network, with a wrong address, or with a server that is broken", async () => {
    const broken = await serve((_, answer) => answer.writeHead(500).end("no"));
    const away = await serve((_, answer) => answer.writeHead(302, { Location: "http://127.0.0.1:1/" }).end());
    const endless = await serve((_, answer) => {
      answer.writeHead(200);
      for (let part = 0; part < 40; part++) answer.write("x".repeat(8192));
    });
    for (const address of ["http://127.0.0.1:1/mcp", "nonsense", broken, away, endless])
      expect(await run(start(), settingsFor("cpk_x", address)), address).toMatchObject(SILENT);
  });

  test("for longer than two seconds, whether the server does not answer or the client sends no event", async () => {
    let left = 0;
    const slow = await serve((_, answer) => {
      answer.once("close", () => (left += 1));
    });
    const trickling = await serve((_, answer) => {
      answer.writeHead(200);
      const timer = setInterval(() => answer.write("#"), 50);
      answer.once("close", () => {
        clearInterval(timer);
        left += 1;
      });
    });
    // Neither ends its answer, so the program must disconnect.
    for (const address of [slow, trickling])
      expect(await run(start(), { ...settingsFor("cpk_x", address), ...REAL })).toMatchObject(SILENT);
    await expect.poll(() => left).toBe(2);
    for (const time of [REAL, AFTER_TWO_SECONDS]) expect(await run(undefined, time)).toMatchObject(SILENT);
    const late = { ...settingsFor("cpk_x", slow), ...AFTER_TWO_SECONDS };
    expect(await run(start(), late)).toMatchObject(SILENT);
  });

  test("by what a stranger's repository contains", async () => {
    const cwd = await project("hostile", { ".git/config": "x".repeat(200_000) });
    await promisify(execFile)("mkfifo", [join(cwd, ".commonplace")]);
    const { key } = await createKey();
    const ran = await run({ ...start(), cwd }, settingsFor(key));
    expect(ran).toMatchObject({ code: 0, err: "" });
    expect(contextOf(ran)).toContain("# Commonplace");
  });

  test("by invalid input", async () => {
    for (const input of ["", "{", "null", "[]", '"x"', "{}", '{"hook_event_name":"constructor"}'])
      expect(await run(input), input).toMatchObject(SILENT);
  });
});

describe("what was promised is asked for", () => {
  const ASKED = { decision: "block", reason: expect.stringContaining("call remember") };

  test("when the assistant stops, once an hour, and never because of the hook's own question", async () => {
    const first = await run(event("Stop", { stop_hook_active: false }));
    expect(first).toMatchObject({ code: 0, err: "" });
    expect(JSON.parse(first.out)).toEqual(ASKED);
    expect(await run(event("Stop", { stop_hook_active: false }))).toMatchObject(SILENT);
    const notes = join(shared.folder, "data", "asked");
    const hourAgo = new Date(Date.now() - 3_601_000);
    for (const name of await readdir(notes)) await utimes(join(notes, name), hourAgo, hourAgo);
    expect(await run(event("Stop", { stop_hook_active: true }))).toMatchObject(SILENT);
    expect(JSON.parse((await run(event("Stop", { stop_hook_active: false }))).out)).toEqual(ASKED);
    await writeFile(join(notes, "of another program"), "");
    for (const name of await readdir(notes)) await utimes(join(notes, name), new Date(0), new Date(0));
    await run({ ...event("Stop", { stop_hook_active: false }), session_id: "another" });
    expect((await readdir(notes)).sort()).toEqual([
      expect.stringMatching(/^[0-9a-f]{32}$/),
      "of another program",
    ]);
  });

  test("and where the client gives no folder, this is noted in the user's own", async () => {
    const stop = { ...event("Stop", { stop_hook_active: false }), session_id: "without a folder" };
    expect(JSON.parse((await run(stop, { PLUGIN_DATA: "" })).out)).toEqual(ASKED);
    expect(await run(stop, { PLUGIN_DATA: "" })).toMatchObject(SILENT);
    expect(await readdir(join(shared.folder, ".cache", "commonplace", "asked"))).toHaveLength(1);
  });

  test("before a conversation is summarized: Claude Code takes a text, Codex is asked after it", async () => {
    const claude = await run(event("PreCompact", { trigger: "auto", custom_instructions: "" }));
    expect(claude).toMatchObject({ code: 0, err: "", out: expect.stringContaining("not yet remembered") });
    const codex = { turn_id: "1", model: "gpt" };
    expect(await run(event("PreCompact", { trigger: "auto", ...codex }))).toMatchObject(SILENT);
    const after = await run(event("SessionStart", { source: "compact", model: "gpt" }));
    expect(contextOf(after)).toContain("call remember");
    expect(await run(event("SessionStart", { source: "compact" }))).toMatchObject(SILENT);
  });
});

describe("the real command lines, in an empty profile and without a model", () => {
  const fetched = async (name: string, program: string) =>
    (
      await promisify(execFile)("npx", ["--yes", `--package=${name}`, "--call", `command -v ${program}`])
    ).stdout.trim();

  /** As much of Anthropic's API as Claude Code needs to say one word. Records what it receives. */
  async function fakeModel() {
    const sent: string[] = [];
    const message = {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m",
      content: [],
      stop_reason: null,
    };
    const events = [
      { type: "message_start", message: { ...message, usage: { input_tokens: 1, output_tokens: 1 } } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello" } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } },
      { type: "message_stop" },
    ];
    const stream = events.map((one) => `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`).join("");
    const server = createServer(async (request, answer) => {
      const body = await text(request);
      if (!request.url?.startsWith("/v1/messages?")) return void answer.writeHead(404).end("{}");
      sent.push(body);
      answer.writeHead(200, { "Content-Type": "text/event-stream" }).end(stream);
    });
    const { url, close } = await listen(server);
    onTestFinished(close);
    return { sent, url };
  }

  nightly("Claude Code installs it, begins with the briefing, and asks for what was promised", async () => {
    const claude = await fetched("@anthropic-ai/claude-code@2.1.332", "claude");
    const home = await project("claude-home");
    const env = { PATH: process.env.PATH, HOME: home, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" };
    const call = (args: string[], more: Record<string, string> = {}, cwd = home) => {
      const calling = promisify(execFile)(claude, args, { env: { ...env, ...more }, cwd });
      calling.child.stdin?.end();
      return calling;
    };
    for (const path of [".", "plugin"])
      expect((await call(["plugin", "validate", "--strict", resolve(path)])).stdout).toContain(
        "Validation passed",
      );
    await call(["plugin", "marketplace", "add", resolve(".")]);
    const { key } = await createKey();
    const options = ["--config", `address=${shared.service.mcpUrl}/mcp`, "--config", `api_key=${key}`];
    await call(["plugin", "install", "commonplace@commonplace", ...options]);
    expect((await call(["mcp", "list"])).stdout).toMatch(/commonplace: http.*Needs authentication/);
    const model = await fakeModel();
    const api = { ANTHROPIC_API_KEY: "sk-ant-none", ANTHROPIC_BASE_URL: model.url };
    await call(["-p", "hi"], api, await project("apollo"));
    const asked = model.sent.filter((body) => body.includes("# Commonplace: Apollo"));
    expect(asked[0]).toContain("Send the quote");
    expect(asked.at(-1)).toContain("call remember (Commonplace)");
  });

  nightly("Codex installs it with its server", async () => {
    const codex = await fetched("@openai/codex@0.169.0", "codex");
    const home = await project("codex-home");
    const env = { PATH: process.env.PATH, HOME: home };
    const call = async (...args: string[]) =>
      (await promisify(execFile)(codex, args, { env, cwd: home })).stdout;
    await call("plugin", "marketplace", "add", resolve("."));
    await call("plugin", "add", "commonplace@commonplace");
    expect(await call("plugin", "list")).toMatch(/commonplace@commonplace\s+installed, enabled/);
    expect(await call("mcp", "list")).toMatch(/commonplace\s+http:\/\/localhost:8001\/mcp/);
  });
});
