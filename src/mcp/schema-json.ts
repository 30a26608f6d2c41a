import { z } from "zod";

// Compact JSON Schemas: they cost tokens in every conversation.

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What tells a model nothing: the bounds of JavaScript's integers, and patterns that repeat a format. */
function isNoise(schema: Json, key: string): boolean {
  const value = schema[key];
  if (key === "$schema") return true;
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

/**
 * The schema of a tool's answer. It allows additional properties, so that an answer may gain a field. Repeated parts
 * are written once where that is shorter.
 */
export function outputSchema(schema: z.ZodObject) {
  const [inline, referring] = (["inline", "ref"] as const).map((reused) =>
    compact(z.toJSONSchema(schema, { io: "output", reused }), ["additionalProperties"]),
  );
  const shorter = JSON.stringify(referring).length < JSON.stringify(inline).length ? referring : inline;
  return shorter as Json & { type: "object" };
}
