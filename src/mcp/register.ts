import type { CallerCtx } from "../auth/caller-store.ts";
import type { Ctx } from "../core/ctx.ts";
import { AppError } from "../core/errors.ts";
import { type Call, maySee, runCall, type Tool } from "../core/tool.ts";
import { PROMPTS, writePrompt } from "./prompts.ts";
import { RESOURCE_TEMPLATES, RESOURCES, readResource, resourceCall } from "./resources.ts";
import { inputSchema, outputSchema } from "./schema-json.ts";
import { TOOLS } from "./tools.ts";

// The features' tools, resources and prompts as the protocol names them. Both generations of servers are given these
// handlers: what a method answers is written once. This is the one place where an error becomes an MCP answer.

type Params = Record<string, unknown> | undefined;

/** A method's answer for this caller. */
export type Handler = (params: Params, ctx: Ctx) => Promise<object> | object;

const INVALID_PARAMS = -32602;
const RESOURCE_NOT_FOUND = -32002;
const INTERNAL = -32603;

/** An error of the protocol itself. Both generations put its code on the wire. */
const protocolError = (code: number, message: string, data?: unknown) =>
  Object.assign(new Error(message), { code, ...(data !== undefined && { data }) });

const definitions = new Map<string, object>();

function definitionOf(tool: Tool): object {
  const known = definitions.get(tool.name);
  if (known) return known;
  const { readOnly, destructive, idempotent, openWorld } = tool.hints;
  const definition = {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: inputSchema(tool.input),
    outputSchema: outputSchema(tool.output),
    annotations: {
      readOnlyHint: readOnly,
      destructiveHint: destructive,
      idempotentHint: idempotent,
      openWorldHint: openWorld,
    },
  };
  definitions.set(tool.name, definition);
  return definition;
}

const refusal = (text: string) => ({ isError: true, content: [{ type: "text", text }] });

/** What a model is told of an error: the message of one that was meant, nothing of any other. */
function explain(problem: unknown): string {
  if (problem instanceof AppError) return problem.message;
  console.error(JSON.stringify({ error: String(problem), stack: (problem as Error | undefined)?.stack }));
  return "Internal error: this is not your fault. Try once more, and tell the user if it stays";
}

const argumentsOf = (params: Params) => (params?.arguments ?? {}) as Record<string, unknown>;

const findTool = (name: unknown): Tool | undefined => TOOLS.find((tool) => tool.name === name);

/** The call of a tool that a message amounts to, or undefined. A resource is what a tool answers. */
export function callIn(method: unknown, params: Params): Call | undefined {
  if (method === "resources/read") return resourceCall(String(params?.uri));
  const tool = method === "tools/call" ? findTool(params?.name) : undefined;
  return tool && { tool, sent: argumentsOf(params) };
}

async function callTool(params: Params, ctx: Ctx): Promise<object> {
  const call = callIn("tools/call", params);
  if (!call) throw protocolError(INVALID_PARAMS, `Unknown tool: ${String(params?.name)}`);
  try {
    const answer = await runCall(ctx, call);
    return { content: [{ type: "text", text: JSON.stringify(answer) }], structuredContent: answer };
  } catch (problem) {
    return refusal(explain(problem));
  }
}

async function read(params: Params, ctx: Ctx): Promise<object> {
  const uri = String(params?.uri);
  try {
    const text = await readResource(ctx, uri);
    if (text !== undefined) return { contents: [{ uri, ...text }] };
  } catch (problem) {
    const known = problem instanceof AppError && problem.status < 500;
    if (!known) throw protocolError(INTERNAL, explain(problem));
  }
  throw protocolError(RESOURCE_NOT_FOUND, "Resource not found", { uri });
}

async function getPrompt(params: Params, ctx: Ctx): Promise<object> {
  const prompt = PROMPTS.find(({ name }) => name === params?.name);
  if (!prompt) throw protocolError(INVALID_PARAMS, `Unknown prompt: ${String(params?.name)}`);
  const sent = argumentsOf(params);
  const missing = prompt.arguments.find(({ name, required }) => required && typeof sent[name] !== "string");
  if (missing) throw protocolError(INVALID_PARAMS, `${prompt.name} needs the argument ${missing.name}`);
  const text = await writePrompt(ctx, prompt, sent as Record<string, string>);
  return {
    description: prompt.description,
    messages: [{ role: "user", content: { type: "text", text } }],
  };
}

/** Every method that both generations answer. Lists are short and in a fixed order: there are no pages. */
export const HANDLERS = {
  "tools/list": (_params, ctx) => ({
    tools: TOOLS.filter((tool) => maySee(tool, ctx.scopes)).map(definitionOf),
  }),
  "tools/call": callTool,
  "resources/list": (_params, ctx) => ({
    resources: RESOURCES.filter((one) => maySee(one, ctx.scopes)).map(({ access: _, ...shown }) => shown),
  }),
  "resources/templates/list": (_params, ctx) => ({
    resourceTemplates: RESOURCE_TEMPLATES.filter((one) => maySee(one, ctx.scopes)).map(
      ({ access: _, ...shown }) => shown,
    ),
  }),
  "resources/read": read,
  "prompts/list": () => ({
    prompts: PROMPTS.map(({ write: _, ...shown }) => shown),
  }),
  "prompts/get": getPrompt,
} satisfies Record<string, Handler>;

export type Method = keyof typeof HANDLERS;

export const METHODS = Object.keys(HANDLERS) as Method[];

/** What a caller is told whose connection has ended. */
export const ENDED = { code: -32000, message: "This connection was ended: connect again" };
const ENDED_STATUS = 401;

/** The refusal of a caller who is not let in. A session hands it on to the Worker, which makes it an HTTP answer. */
function ended(problem: unknown): Error {
  const isRefused = problem instanceof AppError && problem.status === ENDED_STATUS;
  if (!isRefused) return protocolError(INTERNAL, explain(problem));
  return protocolError(ENDED.code, ENDED.message, { status: ENDED_STATUS });
}

/** Whether a message of a server is that refusal. Nothing but `ended` makes an error with this status. */
export const isEnded = (message: { error?: { code?: number; data?: { status?: number } } }): boolean =>
  message.error?.code === ENDED.code && message.error.data?.status === ENDED_STATUS;

/** Answers a method. Whoever is not let in is told only that, also by a method that asked the database nothing. */
export async function answer(method: Method, params: Params, ctx: CallerCtx): Promise<object> {
  try {
    return await (HANDLERS[method] as Handler)(params, ctx);
  } finally {
    await ctx.admit().catch((problem: unknown) => {
      throw ended(problem);
    });
  }
}
