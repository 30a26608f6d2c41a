import type { z } from "@hono/zod-openapi";

/** Everything the code knows about a field of a document, memory or folder. A missing property means no. */
export type FieldSpec = {
  /** Description in the API reference, unless its type has one. */
  meaning?: string;
  /** Type in create requests, and, made optional, in update requests. */
  requested?: z.ZodType;
  /** Value in a new document if the request omits it. */
  default?: unknown;
  /** Type in responses. */
  shown?: z.ZodType;
  /** Type in versions and in export lines. Has a default if the field is newer than the first exports. */
  versioned?: z.ZodType;
  /** Type in export lines, if versions do not have the field. */
  exported?: z.ZodType;
  /** The search index that contains it. `facts` are words such as `due`, searched only for memories. */
  searched?: "title" | "tags" | "text" | "facts";
  /** Whether its bytes count towards the plan, as those of free text do. The triggers `usage_…` compute the same. */
  counted?: true;
  /** How the activity shows a change of it. A field without it is not mentioned, because it follows from others. */
  difference?: "values" | "items" | "name";
  /** Its name in the activity, if not the field's own. */
  label?: string;
  /** Type in the states that an undo compares. */
  compared?: z.ZodType;
  /** For the optional fields of a memory that people and tools may set: the type without null. */
  detail?: z.ZodType;
  /** For a detail that lists are filtered by: the description of the query parameter, which takes the exact value. */
  filter?: string;
};

/** Names of the fields that have a property, in order; with `value`, only those where it has that value. */
export const fieldNamesWith = (
  fields: Record<string, FieldSpec>,
  property: keyof FieldSpec,
  value?: FieldSpec[keyof FieldSpec],
): string[] =>
  Object.entries(fields)
    .filter(([, field]) => property in field && (value === undefined || field[property] === value))
    .map(([name]) => name);

type Plucked<Fields, Property extends keyof FieldSpec> = {
  [Name in keyof Fields as Fields[Name] extends Record<Property, unknown>
    ? Name
    : never]: Fields[Name] extends Record<Property, infer Value> ? Value : never;
};

/** One property of all fields that have it, by field name. */
export const pluckFields = <Fields extends Record<string, FieldSpec>, Property extends keyof FieldSpec>(
  fields: Fields,
  property: Property,
) =>
  Object.fromEntries(
    fieldNamesWith(fields, property).map((name) => [name, fields[name]?.[property]]),
  ) as Plucked<Fields, Property>;

/** The given fields of an object, as far as it has them. */
export const pickFields = <Fields extends object, Name extends keyof Fields>(
  fields: Fields,
  names: readonly Name[],
): Pick<Fields, Name> =>
  Object.fromEntries(names.flatMap((name) => (name in fields ? [[name, fields[name]]] : []))) as Pick<
    Fields,
    Name
  >;
