import { z } from "zod";
import { type Access, readAccessFor } from "../../contract/access.ts";
import { formatChangeId } from "../../contract/change-id.ts";
import { dayWithWeekday, localDay } from "../../contract/days.ts";
import type { Ctx } from "../core/ctx.ts";
import { type AppError, forbidden } from "../core/errors.ts";
import type { WriteEffects } from "../http/rules.ts";
import { rejectSecretsAndFiles } from "./secrets.ts";
import { type InputDefinition, parseInput, readInput } from "./tool-input.ts";

/** A picture or a link of an MCP tool result (2025-11-25, "Tool Result"). */
export type ContentBlock =
  | { type: "image"; data: string; mimeType: string }
  | { type: "resource_link"; uri: string; name: string; mimeType: string; size: number };

export type ToolHints = { destructive: boolean; idempotent: boolean; openWorld: boolean };

export type Tool<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
> = InputDefinition<Input> &
  // Both lists are empty for a tool that only reads.
  WriteEffects & {
    title: string;
    description: string;
    /** The scope needed to see the tool. Any one of several is enough; an empty list needs none. */
    access: Access | readonly Access[];
    needs?: (input: z.infer<Input>) => Access[];
    hints: ToolHints;
    /** Runs alone in its account's queue, as an operation with the same rule. */
    alone?: true;
    /** Whether its answer contains content of users, which is put between fences. */
    quotes?: true;
    /** Clients that support MCP apps show its answers as rows with buttons: doors/mcp/view.ts. */
    hasView?: true;
    output: Output;
    blocks?: (ctx: Ctx, input: z.infer<Input>) => Promise<ContentBlock[]>;
    /** Runs the tool. The answer has no nulls. Throws AppError. */
    run: (ctx: Ctx, input: z.infer<Input>) => Promise<z.infer<Output>>;
    /** For long answers: a shorter `structuredContent`, which otherwise repeats the whole text. */
    brief?(answer: z.infer<Output>): Record<string, unknown>;
    /** For a tool that writes: the answer to a caller who may not read the resource. */
    withoutContent?(answer: z.infer<Output>): z.infer<Output>;
  };

export const UNKNOWN_OUTCOME =
  "The database did not answer, so it is unknown whether this was done. Call list_changes to check before you try again";

export const messageForAssistant = (problem: AppError): string =>
  problem.code === "outcome_unknown" ? UNKNOWN_OUTCOME : problem.message;

export const isReadOnly = ({ changes }: Pick<Tool, "changes">): boolean => changes.length === 0;

export type ToolCall = { tool: Tool; sent: unknown };

const MAX_REASON = 300;
const reason = z.string().max(MAX_REASON).optional();

/** Defines a tool. One that writes also accepts a reason, which is stored in the activity. */
export const defineTool = <Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Tool<Input, Output>,
): Tool<Input, Output> =>
  isReadOnly(tool) ? tool : { ...tool, input: tool.input.extend({ reason }) as unknown as Input };

export async function todayField(ctx: Ctx): Promise<{ today: string }> {
  const { timezone } = await ctx.user();
  return { today: dayWithWeekday(localDay(ctx.now, timezone)) };
}

type WithoutNulls<Value> = Value extends (infer Item)[]
  ? WithoutNulls<Item>[]
  : Value extends object
    ? {
        [Key in keyof Value as null extends Value[Key] ? never : Key]: WithoutNulls<Value[Key]>;
      } & {
        [Key in keyof Value as null extends Value[Key] ? Key : never]?: WithoutNulls<NonNullable<Value[Key]>>;
      }
    : Value;

export function withoutNulls<Value>(value: Value): WithoutNulls<Value> {
  if (Array.isArray(value)) return value.map(withoutNulls) as WithoutNulls<Value>;
  if (typeof value !== "object" || value === null) return value as WithoutNulls<Value>;
  const kept = Object.entries(value).filter(([, item]) => item !== null && item !== undefined);
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutNulls(item)])) as WithoutNulls<Value>;
}

/** Undefined scopes allow everything. */
export function canSee({ access }: Pick<Tool, "access">, scopes: readonly Access[] | undefined): boolean {
  const any = [access].flat();
  return any.length === 0 || !scopes || any.some((one) => scopes.includes(one));
}

const lacking = (scopes: readonly Access[], needed: readonly Access[]) =>
  needed.filter((one) => !scopes.includes(one));

/** The scopes that the caller lacks for a call. Uses the parsed input, so that an alias cannot bypass the check. */
export function missingScopes({ tool, sent }: ToolCall, scopes: readonly Access[] | undefined): Access[] {
  if (!scopes) return [];
  if (!canSee(tool, scopes)) return [[tool.access].flat()[0] as Access];
  const read = tool.needs && parseInput(tool, sent);
  return read?.success ? lacking(scopes, tool.needs?.(read.data) ?? []) : [];
}

/** For one of several items. Throws 403 if the caller lacks scopes that its fields need. */
export function requireScopes({ scopes }: Ctx, name: string, needed: readonly Access[]): void {
  const missing = scopes ? lacking(scopes, needed) : [];
  if (missing.length > 0) throw forbidden(`insufficient_scope: ${name} needs ${missing.join(" ")}`);
}

/** Search and fetch explain the fences in their descriptions. The mark is new for each answer, so that no text contains it. */
function fenced(answer: Record<string, unknown>): Record<string, unknown> {
  const mark = crypto.randomUUID().slice(0, "00000000".length);
  return { data_begins: mark, ...answer, data_ends: mark };
}

export const callBlocks = async (ctx: Ctx, { tool, sent }: ToolCall): Promise<ContentBlock[]> =>
  (await tool.blocks?.(ctx, readInput(tool, sent))) ?? [];

/** Runs a call. The answer has a `change_id` if it changed something. Throws 403, 422, and the errors of the tool. */
export async function runCall(ctx: Ctx, call: ToolCall): Promise<Record<string, unknown>> {
  const { tool, sent } = call;
  const missing = missingScopes(call, ctx.scopes);
  if (missing.length > 0) throw forbidden(`insufficient_scope: ${tool.name} needs ${missing.join(" ")}`);
  const changes: number[] = [];
  const { reason, ...input } = readInput(tool, sent);
  if (!isReadOnly(tool)) rejectSecretsAndFiles({ ...input, reason });
  const writing = { ...ctx, changes, ...(typeof reason === "string" && { reason }) };
  const answer = tool.output.parse(await tool.run(writing, input));
  const readScopes = [tool.access].flat().map(readAccessFor);
  const mayNotRead = ctx.scopes && lacking(ctx.scopes, readScopes).length > 0;
  const change_id = formatChangeId(changes);
  const visible = tool.withoutContent && mayNotRead ? tool.output.parse(tool.withoutContent(answer)) : answer;
  return {
    ...(tool.quotes ? fenced(visible) : visible),
    ...(change_id !== undefined && { change_id }),
  };
}
