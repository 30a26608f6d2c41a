import type { OperationRules } from "../../platform/http/rules.ts";
import { DEFAULT_DESCRIPTIONS, PARAMETER_EXAMPLES } from "./glossary.ts";

export type OpenApiSchema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  additionalProperties?: boolean | OpenApiSchema;
  description?: string;
  example?: unknown;
  const?: unknown;
  default?: unknown;
  enum?: unknown[];
  properties?: Record<string, OpenApiSchema>;
  required?: string[];
  items?: OpenApiSchema;
  discriminator?: { propertyName: string; mapping: Record<string, string> };
  anyOf?: OpenApiSchema[];
  oneOf?: OpenApiSchema[];
  allOf?: OpenApiSchema[];
};
type Parameter = { name: string; in: string; description?: string; example?: unknown; schema: OpenApiSchema };
type Header = { description?: string; $ref?: string };
type Media = { schema: OpenApiSchema; example?: unknown };
export type OpenApiOperation = {
  operationId: string;
  description?: string;
  rules?: OperationRules;
  security?: Record<string, string[]>[];
  "x-required-scopes"?: string[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { headers?: Record<string, Header>; content?: Record<string, Media> }>;
};

const meaning = (owner: string, name: string) =>
  DEFAULT_DESCRIPTIONS[`${owner}.${name}`] ?? DEFAULT_DESCRIPTIONS[name];

/** Whether a schema accepts every value, which makes it useless as one of several options. */
const isAnything = (schema: OpenApiSchema) => Object.keys(schema).every((key) => key === "description");

/** The specific options. An option that accepts everything is generated together with a null option. */
const specificOptions = (options: OpenApiSchema[]) =>
  options.some(isAnything)
    ? options.filter((option) => !isAnything(option) && option.type !== "null")
    : options;

const onlyValue = (option: OpenApiSchema | undefined, field: string) => {
  const values = option?.properties?.[field]?.enum;
  return values?.length === 1 && option?.required?.includes(field) ? String(values[0]) : undefined;
};

/** Makes a union of named schemas a discriminated one, so that code generators produce distinguishable types. */
function discriminate(schema: OpenApiSchema, schemas: Record<string, OpenApiSchema>): void {
  const refs = (schema.anyOf ?? []).map(({ $ref = "" }) => $ref);
  const options = refs.map((ref) => schemas[ref.split("/").at(-1) ?? ""]);
  const field = Object.keys(options[0]?.properties ?? {}).find((name) =>
    options.every((option) => onlyValue(option, name) !== undefined),
  );
  if (!field) return;
  const mapping = Object.fromEntries(refs.map((ref, index) => [onlyValue(options[index], field), ref]));
  if (Object.keys(mapping).length !== refs.length) return;
  schema.oneOf = schema.anyOf;
  delete schema.anyOf;
  schema.discriminator = { propertyName: field, mapping };
}

/** Describes the fields of a schema recursively. `owner` is the name of the schema that contains it. */
export function describeSchema(
  owner: string,
  schema: OpenApiSchema,
  schemas: Record<string, OpenApiSchema>,
): void {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const text = meaning(owner, name);
    if (!field.$ref && text) field.description ??= text;
    describeSchema(owner, field, schemas);
  }
  if (schema.items) describeSchema(owner, schema.items, schemas);
  if (schema.anyOf) {
    schema.anyOf = specificOptions(schema.anyOf);
    discriminate(schema, schemas);
  }
  for (const option of [schema.anyOf, schema.oneOf, schema.allOf].flatMap((list) => list ?? [])) {
    describeSchema(owner, option, schemas);
  }
}

/** An example of a body: the schema's own, or one built from examples of its fields; undefined if there are none. */
function bodyExample(schema: OpenApiSchema, schemas: Record<string, OpenApiSchema>): unknown {
  const { $ref, example, properties = {} } = schema;
  const referenced = $ref && schemas[$ref.split("/").at(-1) ?? ""];
  if (referenced) return bodyExample(referenced, schemas);
  if (example !== undefined) return example;
  const [only, ...others] = schema.enum ?? [schema.const];
  if (only !== undefined && others.length === 0) return only;
  const fields = Object.entries(properties).map(([name, field]) => [name, bodyExample(field, schemas)]);
  const examples = fields.filter(([, value]) => value !== undefined);
  return examples.length > 0 ? Object.fromEntries(examples) : undefined;
}

/** An example value for a parameter: its own, the glossary's, its default, or the first allowed value. */
function parameterExample({ name, schema }: Parameter): unknown {
  if (schema.items?.example !== undefined) return [schema.items.example];
  return schema.example ?? PARAMETER_EXAMPLES[name] ?? schema.default ?? schema.enum?.[0];
}

function describeParameter(operationId: string, parameter: Parameter): void {
  const { name, in: place, schema } = parameter;
  const general = meaning(place, name);
  parameter.description ??= schema.description ?? DEFAULT_DESCRIPTIONS[`${operationId}.${name}`] ?? general;
  parameter.example ??= parameterExample(parameter);
  delete schema.description;
  delete schema.example;
  delete schema.items?.example;
}

const ERROR_CODE = { $ref: "#/components/headers/Error-Code" };

export function describeErrors({ responses }: OpenApiOperation): void {
  for (const [status, response] of Object.entries(responses)) {
    if (Number(status) >= 400) response.headers = { "Error-Code": ERROR_CODE, ...response.headers };
  }
}

export function describeOperation(operation: OpenApiOperation, schemas: Record<string, OpenApiSchema>): void {
  const { operationId, parameters = [], requestBody, responses } = operation;
  for (const parameter of parameters) describeParameter(operationId, parameter);
  for (const { headers = {} } of Object.values(responses)) {
    for (const [name, header] of Object.entries(headers)) header.description ??= DEFAULT_DESCRIPTIONS[name];
  }
  for (const media of Object.values(requestBody?.content ?? {})) {
    media.example ??= bodyExample(media.schema, schemas);
  }
}
