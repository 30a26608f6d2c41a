import type { z } from "zod";
import { type Access, readingOf } from "../contract/access.ts";
import type { Ctx } from "../platform/core/ctx.ts";
import { dayOf, namedDay } from "../contract/days.ts";
import { forbidden, invalid } from "../platform/core/errors.ts";
import { ID_FORMATS, plainId } from "../contract/ids.ts";
import { problemsOf } from "../contract/problems.ts";

// Tools, independent of any protocol; mcp/ exposes them.

/** What a client may want to know before calling a tool. */
export type Hints = { readOnly: boolean; destructive: boolean; idempotent: boolean; openWorld: boolean };

export type Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> = {
  name: string;
  title: string;
  description: string;
  /** The scope needed to see the tool. Any one of several is enough; an empty list needs none. */
  access: Access | readonly Access[];
  /** The scopes that this input needs in addition to `access`. */
  needs?: (input: z.infer<Input>) => Access[];
  hints: Hints;
  input: Input;
  output: Output;
  /** Other accepted names for a field. They are not published. */
  aliases?: Record<string, string>;
  /** Runs the tool; the answer has no nulls. Throws AppError. */
  run: (ctx: Ctx, input: z.infer<Input>) => Promise<z.infer<Output>>;
  /** For a tool that writes: its answer to a caller who may not read the resource. */
  receipt?: (answer: z.infer<Output>) => z.infer<Output>;
};

/** A tool call with its arguments as sent. */
export type Call = { tool: Tool; sent: unknown };

/** Defines a tool: a function, its input and output schemas, and what a model must know to choose it. */
export const defineTool = <Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Tool<Input, Output>,
): Tool<Input, Output> => tool;

/** The caller's date, for answers that contain dates. */
export async function todayFor(ctx: Ctx): Promise<{ today: string }> {
  const { timezone } = await ctx.user();
  return { today: namedDay(dayOf(ctx.now, timezone)) };
}

type Def = {
  type: string;
  format?: string;
  innerType?: z.core.$ZodType;
  in?: z.core.$ZodType;
  element?: z.core.$ZodType;
};

/** The type of a field without wrappers such as "optional" and "default". */
function coreOf(type: z.core.$ZodType): Def {
  const def = type._zod.def as Def;
  const inner = def.innerType ?? def.in;
  return inner ? coreOf(inner) : def;
}

const splitList = (text: string) =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean);

const NUMBER = /^\s*#?(-?\d{1,15})\s*$/;

/** Turns `"12"` into 12. */
const asNumber = (value: unknown) =>
  typeof value === "string" && NUMBER.test(value) ? Number(value.replace(NUMBER, "$1")) : value;

/**
 * Converts a value to its field's type: `"a, b"` to a list, one item to a list of one, `"5"` to 5, any form of an id to
 * the one that its field has.
 */
function coerce(type: z.core.$ZodType, value: unknown): unknown {
  const { type: kind, element, format } = coreOf(type);
  if (kind === "number") return asNumber(value);
  if (ID_FORMATS.includes(format)) return plainId(format, value);
  if (kind !== "array" || !element || value === null || value === undefined) return value;
  const items = typeof value === "string" ? splitList(value) : [value].flat();
  return items.map((item) => coerce(element, item));
}

const own = <Value>(record: Record<string, Value>, name: string): Value | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;

type Readable<Input extends z.ZodObject> = Pick<Tool<Input>, "name" | "input" | "aliases">;

type Read<Input extends z.ZodObject> =
  | { success: true; data: z.infer<Input> }
  | { success: false; problem: string };

/** Resolves aliases and spellings, then validates the result with the tool's schema, which adds the defaults. */
function parseInput<Input extends z.ZodObject>(tool: Readable<Input>, sent: unknown): Read<Input> {
  const { aliases = {}, input } = tool;
  const named = new Map<string, unknown>();
  for (const [name, given] of Object.entries(typeof sent === "object" && sent !== null ? sent : {})) {
    const field = own(aliases, name) ?? name;
    const type = own(input.shape, field);
    const value = type ? coerce(type, given) : given;
    if (named.has(field) && JSON.stringify(named.get(field)) !== JSON.stringify(value)) {
      const problem = `${field}: was sent under two names with different values: send it once`;
      return { success: false, problem };
    }
    named.set(field, value);
  }
  const read = input.safeParse(Object.fromEntries(named));
  if (read.success) return { success: true, data: read.data as z.infer<Input> };
  return { success: false, problem: problemsOf(read.error, tool.name) };
}

/**
 * Parses what a caller sent, accepting aliases, comma-separated lists and numbers as text. Throws a 422 that names the
 * fields.
 */
export function readInput<Input extends z.ZodObject>(tool: Readable<Input>, sent: unknown): z.infer<Input> {
  const read = parseInput(tool, sent);
  if (read.success) return read.data;
  const fieldNames = Object.keys(tool.input.shape).join(", ");
  throw invalid(`${read.problem}. Call ${tool.name} again with: ${fieldNames}`);
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

/** The value without nulls, as tools return it. */
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

/**
 * The scopes that a call needs and the caller lacks. This checks the parsed input that the tool will run with, never the
 * raw arguments, so that an alias cannot bypass it. Invalid input needs no further scopes.
 */
export function missingScopes({ tool, sent }: Call, scopes: readonly Access[] | undefined): Access[] {
  if (!scopes) return [];
  if (!maySee(tool, scopes)) return [[tool.access].flat()[0] as Access];
  const read = tool.needs && parseInput(tool, sent);
  return read?.success ? lacking(scopes, tool.needs?.(read.data) ?? []) : [];
}

/**
 * Runs a call within the scopes of its caller. A caller who may write but not read gets a receipt.
 * Throws 403 for missing scopes, 422 for invalid input, and whatever the tool throws.
 */
export async function runCall(ctx: Ctx, call: Call): Promise<Record<string, unknown>> {
  const { tool, sent } = call;
  const missing = missingScopes(call, ctx.scopes);
  if (missing.length > 0) throw forbidden(`insufficient_scope: ${tool.name} needs ${missing.join(" ")}`);
  const answer = tool.output.parse(await tool.run(ctx, readInput(tool, sent)));
  const shown = [tool.access].flat().map(readingOf);
  const mayNotRead = ctx.scopes && lacking(ctx.scopes, shown).length > 0;
  return tool.receipt && mayNotRead ? tool.output.parse(tool.receipt(answer)) : answer;
}
