import { z } from "@hono/zod-openapi";
import { normalizeName } from "./name-key.ts";
import { explainIssue } from "./problems.ts";
import { isStorable } from "./storable.ts";

const NOT_STORABLE = "must not contain U+0000 or a lone surrogate";

export const Text = (min: number, max: number, string = z.string()) =>
  string.min(min).max(max).refine(isStorable, NOT_STORABLE);

/** A name, stored trimmed and in NFC. */
export const Name = (max: number) =>
  z.string().overwrite(normalizeName).min(1, "must not be empty").max(max).refine(isStorable, NOT_STORABLE);

export const Uuid = z.uuid().meta({ example: "01936b1e-7c3a-7f10-9a53-2f6f3c1d8e42" });

/** An ISO 8601 instant in UTC, in the format of the service. */
export const Timestamp = z.iso.datetime().meta({ example: "2026-11-20T09:30:00.000Z" });

/** An instant in a request, with any UTC offset. Normalized to the format of the service. */
export const Instant = z.iso
  .datetime({ offset: true })
  .transform((value) => new Date(value).toISOString())
  .openapi({ type: "string", format: "date-time", example: "2026-11-01T08:00:00Z" });

/** An instant, or a calendar day, which starts in the caller's time zone: see `resolveInstant`. */
export const InstantOrDay = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], "must be an ISO 8601 date or date-time")
  .transform((value) => (z.iso.date().safeParse(value).success ? value : new Date(value).toISOString()))
  .openapi({ example: "2026-11-01" });

const parseInteger = (text: unknown) =>
  typeof text === "string" && /^-?\d+$/.test(text) ? Number(text) : undefined;

/** A query parameter that is `true` or `false`. */
export const BooleanParam = (description: string, byDefault = false) =>
  z
    .enum(["true", "false"])
    .default(byDefault ? "true" : "false")
    .transform((value) => value === "true")
    .openapi({ type: "boolean", default: byDefault, description });

export const IntegerParam = (range: { min: number; max?: number; default: number }) => {
  const { min, max = Number.MAX_SAFE_INTEGER, default: fallback } = range;
  const error = (issue: { code?: string }) =>
    issue.code === "invalid_type" ? "must be a whole number" : undefined;
  return z.preprocess(parseInteger, z.int({ error }).min(min).max(max)).default(fallback);
};

export const ContentLength = IntegerParam({ min: 0, max: 20_000, default: 20_000 }).meta({
  description: "Truncate the `content` of each item to this many characters",
});

/** The first `length` code points of a text. */
export const truncateText = (text: string, length = Number.POSITIVE_INFINITY): string =>
  text.length <= length
    ? text
    : Array.from(text.slice(0, 2 * length))
        .slice(0, length)
        .join("");

export const DaysParam = z
  .string()
  .regex(/^\d{1,5}$/, "must be a whole number of days")
  .transform(Number)
  .pipe(z.number().min(1).max(10_000))
  .openapi({ type: "integer", minimum: 1, maximum: 10_000, example: 14 });

export const PageParams = {
  limit: IntegerParam({ min: 1, max: 100, default: 20 }),
  offset: IntegerParam({ min: 0, default: 0 }),
};

export const CURSOR_EXAMPLE = "WyJsaXN0IGRlc2MiLCIyMDI2LTExLTIwIiwxMl0";

/** The start of a page, instead of `offset`. The longest cursor contains a title of 500 control characters. */
export const Cursor = z.string().max(5000).optional().meta({
  description: "The `next_cursor` of the previous page, instead of `offset`",
  example: CURSOR_EXAMPLE,
});

export const NextCursor = z.string().optional().meta({ description: "Absent on the last page" });

/** A query parameter that may be repeated: `?tag=a&tag=b`. Always parsed to a list. */
export const RepeatedParam = <Item extends z.ZodType<string>>(item: Item, max: number) =>
  z.preprocess((value) => [value].flat(), z.array(item).max(max));

/** A list of items with the number of all of them. `more`: further fields. */
export const ItemList = <Item extends z.ZodType, More extends z.ZodRawShape = Record<never, never>>(
  id: string,
  item: Item,
  more = {} as More,
) => z.strictObject({ items: z.array(item), total: z.int(), ...more }).meta({ id });

/** A list of some of these values, parsed to their order without duplicates. */
export const SomeOf = <Value extends string>(values: readonly Value[]) =>
  z
    .array(z.enum(values))
    .min(1)
    .max(values.length)
    .transform((sent) => values.filter((one) => sent.some((other) => other === one)))
    .openapi({
      type: "array",
      items: { type: "string", enum: [...values] },
      minItems: 1,
      maxItems: values.length,
    });

/** The number of an item in a path or query, from 1. `noun` names it in errors. */
export const NumberParam = (digits: number, noun: string) =>
  z
    .string()
    .regex(new RegExp(`^[1-9]\\d{0,${digits - 1}}$`), `must be ${noun}`)
    .transform(Number)
    .openapi({ type: "integer", minimum: 1 });

export const VersionNumberParam = NumberParam(12, "a version number");

const MAX_DEPTH = 32;

/** Why a JSON value cannot be stored, or null. `depth` includes the value's own level. */
function jsonProblem(value: unknown, depth: number): string | null {
  if (typeof value === "string") return isStorable(value) ? null : NOT_STORABLE;
  if (typeof value !== "object" || value === null) return null;
  if (depth > MAX_DEPTH) return `must not be nested deeper than ${MAX_DEPTH} levels`;
  for (const [key, item] of Object.entries(value)) {
    const problem = isStorable(key) ? jsonProblem(item, depth + 1) : NOT_STORABLE;
    if (problem) return problem;
  }
  return null;
}

/** Any JSON object of at most 32 levels, stored unchanged. */
export const JsonObject = z
  .custom<Record<string, unknown>>(
    (value) => typeof value === "object" && value !== null && !Array.isArray(value),
    "must be a JSON object",
  )
  .superRefine((value, issue) => {
    const problem = jsonProblem(value, 1);
    if (problem) issue.addIssue({ code: "custom", message: problem });
  })
  .openapi({ type: "object", additionalProperties: true });

/** The query parameters of a request. Unknown ones are rejected, as `z.strictObject` does for a JSON body. */
export const RequestQuery = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) => (issue.code === "unrecognized_keys" ? explainIssue(issue, "parameter") : undefined),
  });

const ReadOnly = z
  .unknown()
  .optional()
  .meta({ readOnly: true, description: "Set by the service: accepted and ignored" });

/** The body of a PUT or PATCH. Other fields of the resource are ignored, so that clients can send back what they read. */
export function UpdateBody<Shape extends z.ZodRawShape>(fields: z.ZodObject<Shape>, resource: z.ZodObject) {
  const names = Object.keys(resource.shape).filter((name) => !Object.hasOwn(fields.shape, name));
  const ignored = Object.fromEntries(names.map((name) => [name, ReadOnly]));
  const accepted = z.strictObject({ ...fields.shape, ...ignored });
  return accepted.transform((sent) => {
    const kept = Object.entries(sent).filter(([name]) => Object.hasOwn(fields.shape, name));
    return Object.fromEntries(kept) as z.infer<z.ZodObject<Shape>>;
  });
}
