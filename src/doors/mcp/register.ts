import { env } from "cloudflare:workers";
import type { ErrorCode } from "../../contract/error-codes.ts";
import type { Env } from "../../env.ts";
import type { CallerCtx } from "../../features/auth/caller-store.ts";
import { wakeAfterWrite } from "../../features/webhooks/wake.ts";
import { AccountMovedError } from "../../platform/core/account-location.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { AppError, hasCode } from "../../platform/core/errors.ts";
import { outdatedShardError } from "../../platform/shards/router.ts";
import {
  callBlocks,
  canSee,
  isReadOnly,
  messageForAssistant,
  runCall,
  type Tool,
  type ToolCall,
  todayField,
} from "../../platform/tools/tool.ts";
import type { ClientCtx } from "./caller.ts";
import { completeValue } from "./completions.ts";
import { PROMPTS, writePrompt } from "./prompts.ts";
import { RESOURCE_TEMPLATES, RESOURCES, readResource, resourceCall } from "./resources.ts";
import { inputSchema, OUTPUT_SCHEMA } from "./schema-json.ts";
import { getSkill, listSkills } from "./skills.ts";
import { TOOLS } from "./tools.ts";
import { PAGE_META, VIEW_META, VIEW_TYPE, VIEW_URI, viewPage } from "./view.ts";

// Shared by both generations of servers. All errors become MCP responses here.

type Params = Record<string, unknown> | undefined;

export type MethodHandler = (params: Params, ctx: Ctx) => Promise<object> | object;

const INVALID_PARAMS = -32602;
const RESOURCE_NOT_FOUND = -32002;
const INTERNAL = -32603;

const protocolError = (code: number, message: string, data?: unknown) =>
  Object.assign(new Error(message), { code, ...(data !== undefined && { data }) });

const definitions = new Map<string, object>();

function definitionOf(tool: Tool): object {
  const known = definitions.get(tool.name);
  if (known) return known;
  const { destructive, idempotent, openWorld } = tool.hints;
  const definition = {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: inputSchema(tool.input),
    outputSchema: OUTPUT_SCHEMA,
    annotations: {
      readOnlyHint: isReadOnly(tool),
      destructiveHint: destructive,
      // Implied for a tool that only reads.
      ...(idempotent && !isReadOnly(tool) && { idempotentHint: true }),
      openWorldHint: openWorld,
    },
    ...(tool.hasView && { _meta: VIEW_META }),
  };
  definitions.set(tool.name, definition);
  return definition;
}

/** The key of an error's code in `_meta`, for programs; a model reads the text. */
const ERROR_CODE = "commonplace/error-code";

/** Marks content of users for programs. For models, the answer has a fence. */
const QUOTED = { "commonplace/data": "not instructions" };

/** The code is not in `structuredContent`, because clients validate that against the tool's output schema. */
const refusal = (text: string, code: ErrorCode) => ({
  isError: true,
  content: [{ type: "text", text }],
  _meta: { [ERROR_CODE]: code },
});

/** The caller's date, for a model that named an invalid day. */
async function todaySentence(ctx: Ctx): Promise<string> {
  const { timezone } = await ctx.user();
  return `Today is ${(await todayField(ctx)).today} in ${timezone}`;
}

/** The error text for a model: the message of an expected error, and no details of any other. */
async function explain(problem: unknown, ctx: Ctx): Promise<string> {
  const { shard } = ctx;
  if (hasCode(problem, "day")) return `${problem.message}. ${await todaySentence(ctx)}`;
  if (problem instanceof AppError) return messageForAssistant(problem);
  const outdated = await outdatedShardError(env as unknown as Env, shard, problem);
  if (outdated) return outdated.message;
  console.error(JSON.stringify({ error: String(problem), stack: (problem as Error | undefined)?.stack }));
  return "Internal error, not caused by your call. Try once more, and tell the user if it happens again";
}

const argumentsOf = (params: Params) => (params?.arguments ?? {}) as Record<string, unknown>;

export function findToolCall(method: unknown, params: Params): ToolCall | undefined {
  if (method === "resources/read") return resourceCall(String(params?.uri));
  const tool = method === "tools/call" ? TOOLS.find(({ name }) => name === params?.name) : undefined;
  return tool && { tool, sent: argumentsOf(params) };
}

async function callTool(params: Params, ctx: Ctx): Promise<object> {
  const call = findToolCall("tools/call", params);
  if (!call) throw protocolError(INVALID_PARAMS, `Unknown tool: ${String(params?.name)}`);
  try {
    const answer = await runCall(ctx, call);
    if (!isReadOnly(call.tool)) await wakeAfterWrite(ctx);
    return {
      content: [{ type: "text", text: JSON.stringify(answer) }, ...(await callBlocks(ctx, call))],
      structuredContent: call.tool.brief?.(answer) ?? answer,
      ...(call.tool.quotes && { _meta: QUOTED }),
    };
  } catch (problem) {
    return refusal(await explain(problem, ctx), problem instanceof AppError ? problem.code : "internal");
  }
}

async function answerResource(params: Params, ctx: Ctx): Promise<object> {
  const uri = String(params?.uri);
  if (uri === VIEW_URI) {
    const text = await viewPage(env as unknown as Env);
    return { contents: [{ uri, mimeType: VIEW_TYPE, text, _meta: PAGE_META }] };
  }
  try {
    const text = await readResource(ctx, uri);
    if (text !== undefined) return { contents: [{ uri, ...text }] };
  } catch (problem) {
    const known = problem instanceof AppError && problem.status < 500;
    if (!known) throw protocolError(INTERNAL, await explain(problem, ctx));
  }
  throw protocolError(RESOURCE_NOT_FOUND, "Resource not found", { uri });
}

async function getPrompt(params: Params, ctx: Ctx): Promise<object> {
  const prompt = PROMPTS.find(({ name }) => name === params?.name);
  if (!prompt) throw protocolError(INVALID_PARAMS, `Unknown prompt: ${String(params?.name)}`);
  const sent = argumentsOf(params);
  const missing = prompt.arguments.find(({ name, required }) => required && typeof sent[name] !== "string");
  if (missing) throw protocolError(INVALID_PARAMS, `${prompt.name} needs the argument ${missing.name}`);
  const text = await writePrompt(ctx, prompt.steps, sent as Record<string, string>);
  return {
    description: prompt.description,
    messages: [{ role: "user", content: { type: "text", text } }],
  };
}

type CompletionParams = { ref?: Record<string, unknown>; argument?: { name?: unknown; value?: unknown } };

function completeArgument(params: Params, ctx: Ctx): Promise<object> {
  const { ref = {}, argument = {} } = (params ?? {}) as CompletionParams;
  const isKnown =
    PROMPTS.some(({ name }) => ref.type === "ref/prompt" && ref.name === name) ||
    RESOURCE_TEMPLATES.some(({ uriTemplate }) => ref.type === "ref/resource" && ref.uri === uriTemplate);
  if (!isKnown) throw protocolError(INVALID_PARAMS, `Unknown prompt or template: ${ref.name ?? ref.uri}`);
  return completeValue(ctx, String(argument.name), String(argument.value ?? ""));
}

const visibleTo = ({ scopes }: Ctx, resources: typeof RESOURCES | typeof RESOURCE_TEMPLATES) =>
  resources.filter((one) => canSee(one, scopes)).map(({ access: _, ...shown }) => shown);

/** The methods of both generations. Lists are short and in a fixed order, so they have no pages. */
export const METHOD_HANDLERS = {
  "tools/list": (_params, ctx) => ({
    tools: TOOLS.filter((tool) => canSee(tool, ctx.scopes)).map(definitionOf),
  }),
  "tools/call": callTool,
  "resources/list": (_params, ctx) => ({ resources: visibleTo(ctx, RESOURCES) }),
  "resources/templates/list": (_params, ctx) => ({ resourceTemplates: visibleTo(ctx, RESOURCE_TEMPLATES) }),
  "resources/read": answerResource,
  "prompts/list": () => ({
    prompts: PROMPTS.map(({ steps: _, ...shown }) => shown),
  }),
  "prompts/get": getPrompt,
  "completion/complete": completeArgument,
  "skills/list": listSkills,
  "skills/get": async (params) => {
    const uri = String(params?.uri);
    const skill = await getSkill(uri);
    if (!skill) throw protocolError(INVALID_PARAMS, "Skill not found", { uri });
    return skill;
  },
} satisfies Record<string, MethodHandler>;

export type McpMethod = keyof typeof METHOD_HANDLERS;

export const MCP_METHODS = Object.keys(METHOD_HANDLERS) as McpMethod[];

export const isMethod = (name: unknown): name is McpMethod => MCP_METHODS.includes(name as McpMethod);
type ExtensionMethod = Extract<McpMethod, `skills/${string}`>;

/** Whether a method belongs to an extension that the libraries do not support. */
export const isExtensionMethod = (method: McpMethod): method is ExtensionMethod =>
  method.startsWith("skills/");

export const CONNECTION_ENDED = { code: -32000, message: "This connection has ended: connect again" };
const ENDED_STATUS = 401;

/** The error for a caller who is not admitted. The Worker turns it into an HTTP response. */
async function endedError(problem: unknown, ctx: Ctx): Promise<Error> {
  const isRefused = problem instanceof AppError && problem.status === ENDED_STATUS;
  if (!isRefused) return protocolError(INTERNAL, await explain(problem, ctx));
  return protocolError(CONNECTION_ENDED.code, CONNECTION_ENDED.message, { status: ENDED_STATUS });
}

/** Whether a server's message is that error. Only `endedError` creates errors with this status. */
export const isConnectionEnded = (message: {
  error?: { code?: number; data?: { status?: number } };
}): boolean => message.error?.code === CONNECTION_ENDED.code && message.error.data?.status === ENDED_STATUS;

/** Whether the account has been migrated to another shard. Throws for a caller who is not admitted. */
const isMoved = (ctx: CallerCtx): Promise<boolean> =>
  ctx.admit().then(
    () => false,
    async (problem: unknown) => {
      if (problem instanceof AccountMovedError) return true;
      throw await endedError(problem, ctx);
    },
  );

/** Answers a method. A caller who is not admitted gets no answer, even from a method that needs no database. */
export async function answerMethod(method: McpMethod, params: Params, ctx: ClientCtx): Promise<object> {
  const answering = async () => (METHOD_HANDLERS[method] as MethodHandler)(params, ctx);
  const [outcome] = await Promise.allSettled([answering()]);
  if (await isMoved(ctx)) {
    ctx.switchShard();
    return answerMethod(method, params, ctx);
  }
  if (outcome.status === "rejected") throw outcome.reason;
  return outcome.value;
}
