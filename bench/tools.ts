import type autocannon from "autocannon";
import { freePorts } from "../test/e2e/service.ts";
import { tokensOf } from "../test/kit/tokens.ts";
import { here, startCopy } from "./copies.ts";
import { countRows, send } from "./counts.ts";
import { LEGACY, listTools, MODERN, openSession, sessionRequest, type ToolCall, toolRequest } from "./mcp.ts";
import { ROWS } from "./rows.ts";
import { type Load, type Rounds, runInTurns } from "./speed.ts";
import { createSubject, SIZE, type Subject, signIn } from "./subject.ts";
import { median, printTable } from "./table.ts";
import { makeQuery } from "./texts.ts";

// MCP beside the API: how fast a tool is compared with its route in the same run, in both generations, what it costs beside
// D1, and how much an assistant has to read.

/** What is asked for, as a path and as a call of a tool. */
type Pair = { name: string; of: (subject: Subject) => { path: string; call: ToolCall } };

const PAIRS: Pair[] = [
  {
    name: "list_memories",
    of: () => ({
      path: "/api/memories?status=active&sort=due_date&limit=20",
      call: { name: "list_memories", arguments: { view: "active", limit: 20 } },
    }),
  },
  {
    name: "fetch",
    of: (subject) => {
      const id = subject.keeper.documents[(subject.turn++ * 7919) % SIZE.documents] ?? "";
      return { path: `/api/documents/${id}`, call: { name: "fetch", arguments: { id } } };
    },
  },
  {
    name: "search",
    of: (subject) => {
      const query = makeQuery(subject.turn++);
      const path = `/api/search?type=all&limit=10&q=${encodeURIComponent(query)}`;
      return { path, call: { name: "search", arguments: { query } } };
    },
  },
];

const GOALS = { speed: 0.8, bytes: 1.2, perCall: 2, initialize: 10, definitions: 4_000, search: 1_400 };

type Urls = { apiUrl: string; mcpUrl: string };

function loadsOf({ apiUrl, mcpUrl }: Urls, subject: Subject): Load[] {
  const { token, sessions } = subject.mcp;
  const session = () => sessions[subject.turn++ % sessions.length] ?? "";
  const read = (path: string): autocannon.Request => ({
    method: "GET",
    path,
    headers: subject.keeper.headers,
  });
  const tool = ({ name, arguments: sent }: ToolCall) => toolRequest(token, name, sent);
  return PAIRS.flatMap(({ of }): Load[] => [
    { url: apiUrl, request: () => read(of(subject).path) },
    { url: mcpUrl, request: () => tool(of(subject).call) },
    { url: mcpUrl, request: () => sessionRequest(token, session(), of(subject).call) },
  ]);
}

const bodyOf = async (url: string, { method = "GET", path, headers, body }: autocannon.Request) => {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: headers as Record<string, string>,
    ...(body !== undefined && { body }),
  });
  return answer.text();
};

/** How much an assistant reads: bytes of a tool's text by those of its route, and tokens. */
async function printSizes({ apiUrl, mcpUrl }: Urls, subject: Subject): Promise<void> {
  const { token } = subject.mcp;
  const rows: (string | number)[][] = [];
  for (const { name, of } of PAIRS) {
    const { path, call } = of(subject);
    const route = await bodyOf(apiUrl, { method: "GET", path, headers: subject.keeper.headers });
    const tool = await bodyOf(mcpUrl, toolRequest(token, call.name, call.arguments));
    const { result } = JSON.parse(tool) as { result: { content: { text: string }[] } };
    const text = result.content[0]?.text ?? "";
    const tokens = Math.round(tokensOf(JSON.parse(text)));
    rows.push([
      name,
      route.length,
      text.length,
      tool.length,
      (tool.length / route.length).toFixed(2),
      tokens,
    ]);
  }
  printTable(
    `What is read (goals: search at most ${GOALS.bytes} × its route and ${GOALS.search} tokens)`,
    ["", "bytes of the route", "of the text", "of the answer", "ratio", "tokens"],
    rows,
  );
  const tools = (await listTools(mcpUrl, token)) as { _meta?: object }[];
  const shown = tools.map(({ _meta: _, ...one }) => one);
  console.log(`\n  Definitions: ${Math.round(tokensOf(shown))} tokens (at most ${GOALS.definitions}).`);
}

function printSpeeds(speeds: Awaited<ReturnType<typeof runInTurns>>): void {
  const rows = PAIRS.map(({ name }, place) => {
    const [route, ...tools] = speeds.slice(3 * place, 3 * place + 3);
    const ratios = tools.map(({ rounds }) =>
      median(rounds.map((perSecond, round) => perSecond / (route?.rounds[round] ?? 0))),
    );
    return [
      name,
      ...[route, ...tools].map((speed) => speed?.perSecond.toFixed(0) ?? ""),
      ...ratios.map((ratio) => ratio.toFixed(2)),
    ];
  });
  printTable(
    `Requests per second (goal: a tool at least ${GOALS.speed} × its route)`,
    ["", "route", MODERN, LEGACY, `${MODERN} : route`, `${LEGACY} : route`],
    rows,
  );
}

export async function benchTools(stateDir: string, rounds: Rounds): Promise<void> {
  const ports = await freePorts();
  console.log("Filling a copy…");
  const filling = await startCopy(here, stateDir, ports);
  const subject = await createSubject(filling, 2);
  await filling.stop();
  const counts = await countRows(here, stateDir, ports, subject);
  const running = await startCopy(here, stateDir, ports);
  await signIn(running.apiUrl, subject);
  await printSizes(running, subject);
  // A session of its own for each connection: those of the copy that was filled are known to it alone.
  subject.mcp.sessions = [await openSession(running.mcpUrl, subject.mcp.token)];
  await send(running.mcpUrl, sessionRequest(subject.mcp.token, subject.mcp.sessions[0] ?? ""));
  printSpeeds(await runInTurns(loadsOf(running, subject), rounds, () => signIn(running.apiUrl, subject)));
  await running.stop();
  const tools = ROWS.flatMap(({ name, port }, place) => {
    const usage = counts.rows[place];
    return port === "mcp" && usage ? [[name, usage.objects, usage.stored, usage.kv]] : [];
  });
  const { objects, stored, kv } = counts.initialize;
  printTable(
    `Beside D1 (goals: ${GOALS.perCall} writes a call, ${GOALS.initialize} at initialize)`,
    ["", "object requests", "object writes", "KV calls"],
    [...tools, ["initialize", objects, stored, kv]],
  );
}
