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

/**
 * A type or null as the type alone, for clients that take no `anyOf` with null: null counts as absent, or empties a field,
 * which update_memory offers as `clear`.
 */
function withoutNull({ anyOf, ...rest }: Json): Json {
  const types = Array.isArray(anyOf) ? (anyOf as Json[]) : [];
  const [only, ...others] = types.filter(({ type }) => type !== "null");
  const isOptional = types.length > 1 && only !== undefined && others.length === 0;
  if (isOptional) return { ...only, ...rest };
  return anyOf === undefined ? rest : { anyOf, ...rest };
}

/** A list of types as `anyOf`: some clients accept schemas of a single type only. */
function portable({ type, ...rest }: Json): Json {
  const [only, ...others] = [type].flat().filter((one) => one !== "null");
  if (others.length === 0) return only === undefined ? rest : { type: only, ...rest };
  return { anyOf: [only, ...others].map((one) => ({ type: one, ...rest })) };
}

function compact(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(compact);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([key]) => !isNoise(value, key));
  return portable(withoutNull(Object.fromEntries(kept.map(([key, item]) => [key, compact(item)]))));
}

export const inputSchema = (schema: z.ZodObject) =>
  compact(z.toJSONSchema(schema, { io: "input" })) as Json & { type: "object" };

/** Every tool answers with an object. What is in it a model reads there: its fields would cost tokens in every conversation. */
export const OUTPUT_SCHEMA = { type: "object" } as const;
