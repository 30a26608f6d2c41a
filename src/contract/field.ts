import type { z } from "@hono/zod-openapi";

/** What is true of a field of a document, record or folder. What a field does not have is not true of it. */
export type Field = {
  /** What it means, for the documentation, wherever its type does not say so. */
  meaning?: string;
  /** Its type in requests: that in the one which creates, and, made optional, in the one which changes. */
  requested?: z.ZodType;
  /** The value of a new document that does not say it. */
  default?: unknown;
  shown?: z.ZodType;
  /** Its type in a version and in the line of an export. With a default if it is newer than the first exports. */
  versioned?: z.ZodType;
  /** Its type in the line of an export, if versions do not have it. */
  exported?: z.ZodType;
  /** Where a search finds it: facts are words such as `due`, which a search for records reads by themselves. */
  searched?: "title" | "tags" | "text" | "facts";
  /** Whether its bytes count towards the plan, which the triggers of migration 0027 compute too. */
  counted?: true;
  /** How the activity shows a change of it. Without it, it is not mentioned: it follows from others. */
  difference?: "values" | "items" | "name";
  label?: string;
  compared?: z.ZodType;
  /** The optional part of a record that people and tools may set: its type without null. */
  detail?: z.ZodType;
};

/** The names of the fields that have a property, in their order; with `value`, of those where it has that value. */
export const namesOf = (
  fields: Record<string, Field>,
  property: keyof Field,
  value?: Field[keyof Field],
): string[] =>
  Object.entries(fields)
    .filter(([, field]) => property in field && (value === undefined || field[property] === value))
    .map(([name]) => name);

type Each<Fields, Property extends keyof Field> = {
  [Name in keyof Fields as Fields[Name] extends Record<Property, unknown>
    ? Name
    : never]: Fields[Name] extends Record<Property, infer Value> ? Value : never;
};

export const each = <Fields extends Record<string, Field>, Property extends keyof Field>(
  fields: Fields,
  property: Property,
) =>
  Object.fromEntries(namesOf(fields, property).map((name) => [name, fields[name]?.[property]])) as Each<
    Fields,
    Property
  >;
