import { z } from "zod";
import { type Access, readingOf } from "../../contract/access.ts";
import { changeIdOf } from "../../contract/change-id.ts";
import { dayOf, namedDay } from "../../contract/days.ts";
import type { Ctx } from "../core/ctx.ts";
import { type AppError, forbidden } from "../core/errors.ts";
import type { Effects } from "../http/rules.ts";
import { refuseTexts } from "./secrets.ts";
import { parseInput, type Readable, readInput } from "./tool-input.ts";

/** A picture or a link, as MCP has them (2025-11-25, "Tool Result"). */
export type Block =
  | { type: "image"; data: string; mimeType: string }
  | { type: "resource_link"; uri: string; name: string; mimeType: string; size: number };

export type Hints = { destructive: boolean; idempotent: boolean; openWorld: boolean };

export type Tool<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
> = Readable<Input> &
  // Of a tool that only reads, both lists are empty.
  Effects & {
    title: string;
    description: string;
    /** The scope needed to see the tool. Any one of several is enough; an empty list needs none. */
    access: Access | readonly Access[];
    needs?: (input: z.infer<Input>) => Access[];
    hints: Hints;
    /** As of an operation: nothing else of the account runs meanwhile. */
    alone?: true;
    /** Whether it answers with what people and programs wrote, between fences. */
    quotes?: true;
    /** A client that can show pages in a chat shows the answers as rows with buttons: doors/mcp/view.ts. */
    hasView?: true;
    output: Output;
    /** What an answer shows besides its text. */
    blocks?: (ctx: Ctx, input: z.infer<Input>) => Promise<Block[]>;
    /** Runs the tool; the answer has no nulls. Throws AppError. */
    run: (ctx: Ctx, input: z.infer<Input>) => Promise<z.infer<Output>>;
    /** For long answers: what `structuredContent` has of it; otherwise that repeats all that the text says. */
    brief?(answer: z.infer<Output>): Record<string, unknown>;
    /** For a tool that writes: its answer to a caller who may not read the resource. */
    receipt?(answer: z.infer<Output>): z.infer<Output>;
  };

/** What an assistant is told of a change whose answer was lost. */
export const UNKNOWN_OUTCOME =
  "The database did not answer, so it is unknown whether this was done. Call list_changes to see, before you try again";

/** What an assistant is told of an expected error. */
export const toldOf = (problem: AppError): string =>
  problem.code === "outcome_unknown" ? UNKNOWN_OUTCOME : problem.message;

export const isReadOnly = ({ changes }: Pick<Tool, "changes">): boolean => changes.length === 0;

export type Call = { tool: Tool; sent: unknown };

const MAX_REASON = 300;
const reason = z.string().max(MAX_REASON).optional();

/** Defines a tool. One that writes also takes a reason, which the ledger keeps. */
export const defineTool = <Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Tool<Input, Output>,
): Tool<Input, Output> =>
  isReadOnly(tool) ? tool : { ...tool, input: tool.input.extend({ reason }) as unknown as Input };

export async function todayFor(ctx: Ctx): Promise<{ today: string }> {
  const { timezone } = await ctx.user();
  return { today: namedDay(dayOf(ctx.now, timezone)) };
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

/** Whether a caller with these scopes may see a tool. Undefined scopes allow everything. */
export function maySee({ access }: Pick<Tool, "access">, scopes: readonly Access[] | undefined): boolean {
  const any = [access].flat();
  return any.length === 0 || !scopes || any.some((one) => scopes.includes(one));
}

const lacking = (scopes: readonly Access[], needed: readonly Access[]) =>
  needed.filter((one) => !scopes.includes(one));

/** The scopes that the caller lacks, for the parsed input that will run, so that an alias cannot bypass it. */
export function missingScopes({ tool, sent }: Call, scopes: readonly Access[] | undefined): Access[] {
  if (!scopes) return [];
  if (!maySee(tool, scopes)) return [[tool.access].flat()[0] as Access];
  const read = tool.needs && parseInput(tool, sent);
  return read?.success ? lacking(scopes, tool.needs?.(read.data) ?? []) : [];
}

/** Refuses one of several items whose fields need scopes that the caller lacks. Throws 403. */
export function mustHave({ scopes }: Ctx, name: string, needed: readonly Access[]): void {
  const missing = scopes ? lacking(scopes, needed) : [];
  if (missing.length > 0) throw forbidden(`insufficient_scope: ${name} needs ${missing.join(" ")}`);
}

/** The descriptions of search and fetch say what the fences mean. The mark is new for each answer, so that no text can contain it. */
function fenced(answer: Record<string, unknown>): Record<string, unknown> {
  const mark = crypto.randomUUID().slice(0, "00000000".length);
  return { data_begins: mark, ...answer, data_ends: mark };
}

/** What the answer to a call that has been carried out shows besides its text. */
export const blocksIn = async (ctx: Ctx, { tool, sent }: Call): Promise<Block[]> =>
  (await tool.blocks?.(ctx, readInput(tool, sent))) ?? [];

/** Runs a call; the answer names its changes with `change_id`, or is a receipt. Throws 403, 422, and what it throws. */
export async function runCall(ctx: Ctx, call: Call): Promise<Record<string, unknown>> {
  const { tool, sent } = call;
  const missing = missingScopes(call, ctx.scopes);
  if (missing.length > 0) throw forbidden(`insufficient_scope: ${tool.name} needs ${missing.join(" ")}`);
  const changes: number[] = [];
  const { reason, ...input } = readInput(tool, sent);
  if (!isReadOnly(tool)) refuseTexts({ ...input, reason });
  const writing = { ...ctx, changes, ...(typeof reason === "string" && { reason }) };
  const answer = tool.output.parse(await tool.run(writing, input));
  const shown = [tool.access].flat().map(readingOf);
  const mayNotRead = ctx.scopes && lacking(ctx.scopes, shown).length > 0;
  const change_id = changeIdOf(changes);
  const told = tool.receipt && mayNotRead ? tool.output.parse(tool.receipt(answer)) : answer;
  return {
    ...(tool.quotes ? fenced(told) : told),
    ...(change_id !== undefined && { change_id }),
  };
}
