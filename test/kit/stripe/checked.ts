import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { REQUESTS, type RequestName } from "./requests.ts";

// Reads the parameters of a request as Stripe does, and says what it would refuse of them.

export type Form = Record<string, unknown>;

const listsIn = (value: unknown): unknown => {
  if (typeof value !== "object") return value;
  const entries = Object.entries(value as Form).map(([name, inner]) => [name, listsIn(inner)] as const);
  const isNumbered = entries.length > 0 && entries.every(([name], n) => name === String(n));
  return isNumbered ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
};

/** The parameters in a form, as texts: `a[b][0]=c`. Objects whose names are 0, 1, 2 … are lists. */
export function formOf(encoded: string): Form {
  const form: Form = {};
  for (const [key, value] of new URLSearchParams(encoded)) {
    const names = key.split(/[[\]]+/).filter(Boolean);
    const last = names.pop() ?? "";
    let at = form;
    for (const name of names) {
      at[name] ??= {};
      at = at[name] as Form;
    }
    at[last] = value;
  }
  return listsIn(form) as Form;
}

// In a form, numbers and booleans are texts: they become what the schema says.
const ajv = new Ajv({ coerceTypes: true });

const VALIDATORS = Object.fromEntries(
  Object.entries(REQUESTS).map(([name, schema]) => [name, ajv.compile(schema)]),
) as Record<RequestName, ValidateFunction>;

/** The name of a parameter as Stripe writes it: `a[b][0]`. */
function paramOf({ instancePath, params }: ErrorObject): string {
  const { additionalProperty, missingProperty } = params as Record<string, string | undefined>;
  const path = [...instancePath.split("/").slice(1), additionalProperty ?? missingProperty ?? []].flat();
  const [first = "", ...rest] = path;
  return first + rest.map((name) => `[${name}]`).join("");
}

type Problem = { param: string; message: string; code?: string };

/** How Stripe says it (https://docs.stripe.com/error-codes), where it has a code for it. */
function problemOf(error: ErrorObject): Problem {
  const { keyword, message, params } = error;
  const param = paramOf(error);
  if (keyword === "additionalProperties")
    return { param, code: "parameter_unknown", message: `Received unknown parameter: ${param}` };
  if (keyword === "required")
    return { param, code: "parameter_missing", message: `Missing required param: ${param}.` };
  if (keyword === "minLength")
    return { param, code: "parameter_invalid_empty", message: `You passed an empty string for '${param}'.` };
  if (keyword === "type" && params.type === "integer")
    return { param, code: "parameter_invalid_integer", message: `Invalid integer: ${param}` };
  return { param, message: `Invalid ${param}: ${message}` };
}

/** What Stripe would refuse of a request's parameters. Numbers and booleans in `form` become such. */
export function refusalOf(request: RequestName, form: Form): Problem | undefined {
  const validate = VALIDATORS[request];
  if (validate(form)) return undefined;
  const [error] = validate.errors ?? [];
  if (!error) throw new Error(`${request} is refused without a reason`);
  return problemOf(error);
}
