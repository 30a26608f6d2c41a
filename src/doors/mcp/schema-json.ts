import { z } from "zod";
import { ID_FORMATS } from "../../contract/ids.ts";
import { isObject } from "../../shared/files/content.ts";

// Compact JSON Schemas, because they cost tokens in every conversation.

type Json = Record<string, unknown>;

/** Omitted everywhere: the instructions state the limit of lists, and answers say whether there are more items. */
const OMITTED = ["$schema", "default", "maxItems", "maxLength"];

/** Self-evident bounds. */
const OBVIOUS_BOUNDS: Record<string, unknown[]> = { minItems: [1], minLength: [1], minimum: [0, 1] };

/** Of no use to a model: emptiness, integer bounds, patterns that repeat a format, open objects, formats of ids. */
function isNoise(schema: Json, key: string): boolean {
  const value = schema[key];
  if (OMITTED.includes(key) || OBVIOUS_BOUNDS[key]?.includes(value)) return true;
  if (key === "format") return ID_FORMATS.includes(value);
  if (key === "pattern") return typeof schema.format === "string";
  if (key === "additionalProperties") return isObject(value) && Object.keys(value).length === 0;
  return (key === "maximum" || key === "minimum") && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;
}

/** Some clients do not support `anyOf` with null. Null counts as absent; for clearing a field, update_memory has `clear`. */
function withoutNull({ anyOf, ...rest }: Json): Json {
  const types = Array.isArray(anyOf) ? (anyOf as Json[]) : [];
  const [only, ...others] = types.filter(({ type }) => type !== "null");
  const isOptional = types.length > 1 && only !== undefined && others.length === 0;
  if (isOptional) return { ...only, ...rest };
  return anyOf === undefined ? rest : { anyOf, ...rest };
}

/** Replaces a list of types by `anyOf`, because some clients accept only schemas of a single type. */
function portable({ type, ...rest }: Json): Json {
  const [only, ...others] = [type].flat().filter((one) => one !== "null");
  if (others.length === 0) return only === undefined ? rest : { type: only, ...rest };
  return { anyOf: [only, ...others].map((one) => ({ type: one, ...rest })) };
}

function compact(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(compact);
  if (!isObject(value)) return value;
  // Before its parts are compacted, which would leave nothing of a null but a schema for any value.
  const schema = withoutNull(value);
  const kept = Object.entries(schema).filter(([key]) => !isNoise(schema, key));
  return portable(Object.fromEntries(kept.map(([key, item]) => [key, compact(item)])));
}

export const inputSchema = (schema: z.ZodObject) =>
  compact(z.toJSONSchema(schema, { io: "input" })) as Json & { type: "object" };

/** Every tool answers with an object. Its fields are not described, because that costs tokens in every conversation. */
export const OUTPUT_SCHEMA = { type: "object" } as const;
