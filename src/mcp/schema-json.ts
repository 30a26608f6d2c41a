import { z } from "zod";
import { ID_FORMATS } from "../contract/ids.ts";

// Compact JSON Schemas: they cost tokens in every conversation.

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Bounds that go without saying. */
const PLAIN_BOUNDS: Json = { minItems: 1, minLength: 1, minimum: 0 };

/**
 * What tells a model nothing: that a list or text must not be empty nor a number negative, the bounds of JavaScript's
 * integers, patterns that repeat a format, and the formats of ids, which are taken in any form.
 */
function isNoise(schema: Json, key: string): boolean {
  const value = schema[key];
  if (key === "$schema" || value === PLAIN_BOUNDS[key]) return true;
  if (key === "format") return ID_FORMATS.includes(value);
  if (key === "pattern") return typeof schema.format === "string";
  return (key === "maximum" || key === "minimum") && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;
}

/** A list of types as `anyOf`: some clients accept schemas of a single type only. */
function portable({ type, ...rest }: Json): Json {
  if (!Array.isArray(type)) return type === undefined ? rest : { type, ...rest };
  return { anyOf: type.map((one) => (one === "null" ? { type: one } : { type: one, ...rest })) };
}

function compact(value: unknown, dropped: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => compact(item, dropped));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([key]) => !isNoise(value, key) && !dropped.includes(key));
  return portable(Object.fromEntries(kept.map(([key, item]) => [key, compact(item, dropped)])));
}

/** The schema of a tool's input. */
export const inputSchema = (schema: z.ZodObject) =>
  compact(z.toJSONSchema(schema, { io: "input" }), []) as Json & { type: "object" };

const typeOf = (schema: unknown): Json => {
  const { type, items } = isObject(schema) ? (portable(schema) as Json) : {};
  return {
    ...(type !== undefined && { type }),
    ...(type === "array" && isObject(items) && { items: typeOf(items) }),
  };
};

/**
 * The schema of a tool's answer: the fields that are always there, with their types. A client checks no more than that,
 * and a model reads the answer itself.
 */
export function outputSchema(schema: z.ZodObject) {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: "output" });
  const fields = required.map((name) => [name, typeOf(properties[name])]);
  const always = { properties: Object.fromEntries(fields) as Json, required };
  return { type: "object" as const, ...(required.length > 0 && always) };
}
