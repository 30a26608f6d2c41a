import { z } from "zod";
import { ID_FORMATS } from "../../contract/ids.ts";

// Compact JSON Schemas: they cost tokens in every conversation.

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What is left out everywhere: the instructions say how many items a list may have, an answer whether it has more. */
const LEFT_OUT = ["$schema", "default", "maxItems", "maxLength"];

/** Bounds that go without saying. */
const PLAIN_BOUNDS: Record<string, unknown[]> = { minItems: [1], minLength: [1], minimum: [0, 1] };

/** What tells a model nothing: emptiness, integer bounds, patterns that repeat a format, open objects, formats of ids. */
function isNoise(schema: Json, key: string): boolean {
  const value = schema[key];
  if (LEFT_OUT.includes(key) || PLAIN_BOUNDS[key]?.includes(value)) return true;
  if (key === "format") return ID_FORMATS.includes(value);
  if (key === "pattern") return typeof schema.format === "string";
  if (key === "additionalProperties") return isObject(value) && Object.keys(value).length === 0;
  return (key === "maximum" || key === "minimum") && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;
}

/** A list of types as `anyOf`: some clients accept schemas of a single type only. */
function portable({ type, ...rest }: Json): Json {
  if (!Array.isArray(type)) return type === undefined ? rest : { type, ...rest };
  return { anyOf: type.map((one) => (one === "null" ? { type: one } : { type: one, ...rest })) };
}

function compact(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(compact);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([key]) => !isNoise(value, key));
  return portable(Object.fromEntries(kept.map(([key, item]) => [key, compact(item)])));
}

export const inputSchema = (schema: z.ZodObject) =>
  compact(z.toJSONSchema(schema, { io: "input" })) as Json & { type: "object" };

const typeOf = (schema: unknown): Json => {
  const { type, items } = isObject(schema) ? (portable(schema) as Json) : {};
  const isOfValues = type === "array" && isObject(items) && items.type !== "object";
  return { ...(type !== undefined && { type }), ...(isOfValues && { items: typeOf(items) }) };
};

/** The field of nearly every answer that has dates. The instructions say so once. */
const IN_EVERY_ANSWER = "today";

/** The fields that are always there, with their types: a client checks no more, and a model reads the answer itself. */
export function outputSchema(schema: z.ZodObject) {
  const { properties = {}, required: always = [] } = z.toJSONSchema(schema, { io: "output" });
  const required = always.filter((name) => name !== IN_EVERY_ANSWER);
  const fields = required.map((name) => [name, typeOf(properties[name])]);
  const listed = { properties: Object.fromEntries(fields) as Json, required };
  return { type: "object" as const, ...(required.length > 0 && listed) };
}
