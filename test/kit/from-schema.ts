import fc from "fast-check";
import { resolve, type Schema } from "./description.ts";

// Generates values that match a schema of the description, and values that may not.

const DAY = 86_400_000;

const instant = fc.date({ min: new Date("1990-01-01"), max: new Date("2090-01-01"), noInvalidDate: true });

const FORMATS: Record<string, fc.Arbitrary<string>> = {
  date: instant.map((date) => date.toISOString().slice(0, 10)),
  "date-time": instant.map((date) => date.toISOString()),
  email: fc.integer({ min: 0, max: DAY }).map((n) => `fuzz${n}@example.com`),
  uuid: fc.uuid({ version: 7 }),
  uri: fc.webUrl(),
};

const TEXT_SIZE = 40;

function text({ format, pattern, minLength = 0, maxLength = TEXT_SIZE }: Schema): fc.Arbitrary<string> {
  const known = format && FORMATS[format];
  if (known) return known;
  if (pattern) return fc.stringMatching(new RegExp(pattern));
  const units = fc.constantFrom("grapheme" as const, "binary" as const);
  return units.chain((unit) =>
    fc.string({ unit, minLength: Math.min(minLength, TEXT_SIZE), maxLength: Math.min(maxLength, TEXT_SIZE) }),
  );
}

function object({ properties = {}, required = [], additionalProperties }: Schema): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties).map(([name, field]) => [name, valid(field)] as const);
  // A schema may require a field that it does not describe.
  const requiredKeys = required.filter((name) => Object.hasOwn(properties, name));
  const known = fc.record(Object.fromEntries(fields), { requiredKeys });
  if (fields.length > 0 || !additionalProperties) return known;
  const values = additionalProperties === true ? fc.jsonValue() : valid(additionalProperties);
  return fc.dictionary(fc.string(), values, { maxKeys: 4 });
}

const NUMBERS = { min: -1_000_000, max: 1_000_000 };

function byType(type: string, schema: Schema): fc.Arbitrary<unknown> {
  const { minimum = NUMBERS.min, maximum = NUMBERS.max, items = {}, minItems = 0, maxItems = 3 } = schema;
  switch (type) {
    case "null":
      return fc.constant(null);
    case "boolean":
      return fc.boolean();
    case "integer":
      return fc.integer({ min: minimum, max: maximum });
    case "number":
      return fc.double({ min: minimum, max: maximum, noNaN: true });
    case "string":
      return text(schema);
    case "array":
      return fc.array(valid(items), {
        minLength: minItems,
        maxLength: Math.max(minItems, Math.min(maxItems, 3)),
      });
    default:
      return object(schema);
  }
}

/** Values that the schema allows. */
export function valid(schema: Schema): fc.Arbitrary<unknown> {
  const found = resolve(schema);
  const options = found.oneOf ?? found.anyOf;
  if (options) return fc.oneof(...options.map(valid));
  if (found.enum) return fc.constantFrom(...found.enum);
  if (found.type === undefined) return fc.jsonValue();
  return fc.oneof(...[found.type].flat().map((type) => byType(type, found)));
}

/** Values close to those that the schema allows: other types, other fields, edge cases, exceeded bounds. */
export function broken(schema: Schema): fc.Arbitrary<unknown> {
  const odd = fc.constantFrom<unknown>(
    ...[null, "", " ", "\u0000", "\ud800", -1, 1.5, 2 ** 53, 1e308, [], {}, [[]], true, "__proto__"],
    "x".repeat(5000),
  );
  const spoiled = valid(schema).chain((value) => {
    if (typeof value !== "object" || value === null || Object.keys(value).length === 0) return odd;
    const field = fc.constantFrom(...Object.keys(value), "constructor", "unknown_field");
    return fc.tuple(field, fc.oneof(odd, fc.jsonValue())).map(([name, other]) => {
      return Array.isArray(value) ? [...value, other] : { ...value, [name]: other };
    });
  });
  return fc.oneof({ weight: 3, arbitrary: spoiled }, odd, fc.jsonValue());
}
