import type { z } from "zod";
import { dependencyProblems, type FieldDependencies } from "../../contract/field-dependencies.ts";
import { ID_FORMATS, isIdList, normalizeId } from "../../contract/ids.ts";
import { describeProblems, explainUnknownNames, hasDateProblem } from "../../contract/problems.ts";
import { unprocessable } from "../core/errors.ts";
import { rejectSecretsAndFiles } from "./secrets.ts";

// Many models send null or an empty text instead of omitting a parameter, a list as JSON text, or a value in another case.
// Unambiguous input is accepted.

export type InputDefinition<Input extends z.ZodObject = z.ZodObject> = {
  name: string;
  input: Input;
  /** Other accepted names for a field. They are not published. */
  aliases?: Record<string, string>;
  /** Optional fields in which an empty text has a meaning. In all others it counts as absent. */
  mayBeEmpty?: readonly string[];
  elsewhere?: Record<string, string>;
  /** Fields that need others: they are rejected without them. */
  goesWith?: FieldDependencies;
};

type Def = {
  type: string;
  format?: string;
  innerType?: z.core.$ZodType;
  in?: z.core.$ZodType;
  element?: z.core.$ZodType;
  entries?: Record<string, string>;
};

function layersOf(type: z.core.$ZodType): [Def, ...Def[]] {
  const def = type._zod.def as Def;
  const inner = def.innerType ?? def.in;
  return inner ? [def, ...layersOf(inner)] : [def];
}

const coreOf = (type: z.core.$ZodType): Def => layersOf(type).at(-1) as Def;

const splitList = (text: string) =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean);

const NUMBER = /^\s*#?(-?\d{1,15})\s*$/;

function asJson(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

const SCALARS = ["number", "boolean", "enum", "object"];

/** A text as the number, boolean, option or object that it stands for; the text itself if it stands for none. */
function readScalar({ type, entries = {} }: Def, text: string): unknown {
  const word = text.trim().toLowerCase();
  if (type === "number" && NUMBER.test(text)) return Number(text.replace(NUMBER, "$1"));
  if (type === "boolean" && ["true", "false"].includes(word)) return word === "true";
  if (type === "enum" && Object.values(entries).includes(word)) return word;
  return type === "object" ? asJson(text) : text;
}

/** The items of a list, of its JSON, of a text with commas (unless the items are objects or titles), or of a single item. */
function itemsOf(element: Def, value: unknown): unknown {
  const read = asJson(value);
  const isText = typeof read === "string" || (typeof value === "string" && !Array.isArray(read));
  if (element.type === "object") return typeof read === "string" ? read : [read].flat();
  if (!isText) return [read].flat();
  const items = splitList(value as string);
  return isIdList(element.format, items) ? items : [value];
}

/** Turns `"a, b"` and `'["a", "b"]'` into a list, `"5"` into 5, `"True"` into true, and normalizes enum values and ids. */
function coerce(type: z.core.$ZodType, value: unknown): unknown {
  const core = coreOf(type);
  const { type: kind, element, format } = core;
  if (SCALARS.includes(kind)) return typeof value === "string" ? readScalar(core, value) : value;
  if (ID_FORMATS.includes(format)) return normalizeId(format, value);
  if (kind !== "array" || !element || value === null || value === undefined) return value;
  const items = itemsOf(coreOf(element), value);
  return Array.isArray(items) ? items.map((item) => coerce(element, item)) : items;
}

const own = <Value>(record: Record<string, Value>, name: string): Value | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;

function isAbsent(type: z.core.$ZodType, value: unknown, mayBeEmpty: boolean): boolean {
  const isRequired = type._zod.optin === undefined;
  if (isRequired) return false;
  if (value === null) return !layersOf(type).some((layer) => layer.type === "nullable");
  if (typeof value === "string") return value.trim() === "" && !mayBeEmpty;
  return Array.isArray(value) && value.length === 0;
}

type Value = { field: string; value: unknown };

/** The input by the schema's field names, coerced and without absent values. */
function valuesIn({ aliases = {}, mayBeEmpty = [], input }: InputDefinition, sent: unknown): Value[] {
  return Object.entries(typeof sent === "object" && sent !== null ? sent : {}).flatMap(([name, given]) => {
    const field = own(aliases, name) ?? name;
    const type = own(input.shape, field);
    const value = type ? coerce(type, given) : given;
    return type && isAbsent(type, value, mayBeEmpty.includes(field)) ? [] : [{ field, value }];
  });
}

function contradictoryField(values: readonly Value[]): string | undefined {
  const seen = new Map<string, unknown>();
  return values.find(({ field, value }) => {
    if (seen.has(field)) return JSON.stringify(seen.get(field)) !== JSON.stringify(value);
    seen.set(field, value);
    return false;
  })?.field;
}

type ParsedInput<Input extends z.ZodObject> =
  | { success: true; data: z.infer<Input> }
  | { success: false; problem: string; concernsDay: boolean };

/** More problems than a tool has fields. */
const MAX_PROBLEMS = 20;

export function parseInput<Input extends z.ZodObject>(
  tool: InputDefinition<Input>,
  sent: unknown,
): ParsedInput<Input> {
  const values = valuesIn(tool, sent);
  const contradictory = contradictoryField(values);
  if (contradictory !== undefined) {
    const problem = `${contradictory}: was sent under two names with different values: send it once`;
    return { success: false, problem, concernsDay: false };
  }
  const fields = Object.fromEntries(values.map(({ field, value }) => [field, value]));
  const parsed = tool.input.safeParse(fields, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? explainUnknownNames(issue, "field", tool.elsewhere ?? {})
        : undefined,
  });
  if (parsed.success) {
    const [misfit] = dependencyProblems(tool.goesWith ?? {}, parsed.data);
    if (!misfit) return { success: true, data: parsed.data as z.infer<Input> };
    return { success: false, problem: `${misfit.field}: ${misfit.message}`, concernsDay: false };
  }
  const problem = describeProblems(parsed.error, tool.name, MAX_PROBLEMS);
  return { success: false, problem, concernsDay: hasDateProblem(parsed.error) };
}

const followedBy = (sentence: string, next: string) =>
  `${sentence}${/[.?!]$/.test(sentence) ? "" : "."} ${next}`;

const fieldNames = ({ input }: InputDefinition) => Object.keys(input.shape).join(", ");

function parseOrThrow<Input extends z.ZodObject>(
  tool: InputDefinition<Input>,
  sent: unknown,
  hint: string,
): z.infer<Input> {
  const parsed = parseInput(tool, sent);
  if (parsed.success) return parsed.data;
  throw unprocessable(followedBy(parsed.problem, hint), parsed.concernsDay ? "day" : undefined);
}

/** Parses the input of a tool. Throws a 422 that names the fields. */
export const readInput = <Input extends z.ZodObject>(
  tool: InputDefinition<Input>,
  sent: unknown,
): z.infer<Input> =>
  parseOrThrow(
    tool,
    sent,
    `Call ${tool.name} again ${fieldNames(tool) === "" ? "without any" : `with: ${fieldNames(tool)}`}`,
  );

export function readRecordInput<Input extends z.ZodObject>(
  part: InputDefinition<Input>,
  sent: unknown,
): z.infer<Input> {
  const fields = parseOrThrow(part, sent, `A record has: ${fieldNames(part)}`);
  rejectSecretsAndFiles(fields);
  return fields;
}
