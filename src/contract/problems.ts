import { z } from "zod";
import { nearestName } from "./nearest-name.ts";

const MAX_PROBLEMS = 5;

const MAX_NAME = 60;

type RawIssue = z.core.$ZodRawIssue;
type RawIssueOf<Code extends RawIssue["code"]> = Extract<RawIssue, { code: Code }>;

const TYPES: Record<string, string> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  object: "an object",
  record: "an object",
  null: "null",
  never: "left out",
};

const FORMATS: Record<string, string> = {
  uuid: "a UUID",
  email: "an email address",
  url: "a URL",
  date: "a date such as 2026-12-24",
  datetime: "a date-time such as 2026-11-20T09:30:00Z",
};

const isMissing = (issue: RawIssue) => issue.input === undefined;

const mustBeOneOf = (values: readonly unknown[]) => {
  const names = values.map(String).join(", ");
  return values.length === 1 ? `must be ${names}` : `must be one of ${names}`;
};

const isRealBound = (bound: number | null | undefined) =>
  typeof bound === "number" && Math.abs(bound) < Number.MAX_SAFE_INTEGER;

const UNITS: Record<string, [one: string, many: string]> = {
  string: ["character", "characters"],
  array: ["item", "items"],
};

function explainRange(issue: RawIssueOf<"too_small"> | RawIssueOf<"too_big">): string {
  const [side, bound] = issue.code === "too_small" ? ["least", issue.minimum] : ["most", issue.maximum];
  const units = UNITS[issue.origin];
  if (units && side === "least" && bound === 1) return "must not be empty";
  if (units) return `must have at ${side} ${bound} ${units[bound === 1 ? 0 : 1]}`;
  const { minValue, maxValue } = (issue.schema ?? {}) as Partial<z.ZodNumber>;
  const isRange = isRealBound(minValue) && isRealBound(maxValue);
  return isRange ? `must be between ${minValue} and ${maxValue}` : `must be at ${side} ${bound}`;
}

function explainUnion(issue: RawIssueOf<"invalid_union">): string {
  const { discriminator, options } = issue as { discriminator?: string; options?: unknown[] };
  if (discriminator) {
    const sent = (issue.input as Record<string, unknown>)[discriminator];
    return sent === undefined ? "is required" : mustBeOneOf(options ?? []);
  }
  const [first, ...others] = new Set(
    issue.errors.flatMap((problems) =>
      problems.filter(({ path }) => path.length === 0).map((one) => one.message),
    ),
  );
  if (!first) return "has the wrong format";
  return [first, ...others.map((message) => message.replace(/^must be /, ""))].join(" or ");
}

const isReadOnly = (field: z.core.$ZodType) => z.globalRegistry.get(field)?.readOnly === true;

const cut = (name: string) =>
  (name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name).replace(/\s/g, " ");

function namesKnownTo({ _zod: { def } }: z.core.$ZodObject | z.core.$ZodRecord): string[] {
  if (def.type === "record") return [...(def.keyType._zod.values ?? [])].map(String);
  return Object.entries(def.shape).flatMap(([name, field]) => (isReadOnly(field) ? [] : [name]));
}

/** One line per unknown name, because the path of the issue does not contain it. `elsewhere`: advice for some names. */
export function explainUnknownNames(
  issue: RawIssueOf<"unrecognized_keys">,
  noun: "field" | "parameter",
  elsewhere?: Record<string, string>,
): string {
  const known = namesKnownTo(issue.inst as z.core.$ZodObject | z.core.$ZodRecord);
  const list = known.length === 0 ? "; there are none" : elsewhere ? "" : `; use ${known.join(", ")}`;
  const lines = issue.keys.slice(0, MAX_PROBLEMS).map((key) => {
    const advice = elsewhere && Object.hasOwn(elsewhere, key) ? elsewhere[key] : undefined;
    const nearest = nearestName(key, known);
    const hint = nearest ? `; did you mean ${nearest}?` : list;
    return `${cut(key)}: is not a ${noun} here${advice ? `; ${advice}` : hint}`;
  });
  return lines.join("\n");
}

function explainType(issue: RawIssueOf<"invalid_type">): string {
  if (isMissing(issue)) return "is required";
  if (issue.expected === "string" && Array.isArray(issue.input)) return "must be a single text, not a list";
  if (issue.expected === "array" && typeof issue.input === "string") return "must be a list, not text";
  return `must be ${TYPES[issue.expected] ?? issue.expected}`;
}

/** An error message that follows the name of the field: `must be a number`. */
export function explainIssue(issue: RawIssue, noun: "field" | "parameter" = "field"): string {
  switch (issue.code) {
    case "invalid_type":
      return explainType(issue);
    case "invalid_value":
      return isMissing(issue) ? "is required" : mustBeOneOf(issue.values);
    case "too_small":
    case "too_big":
      return explainRange(issue);
    case "invalid_format":
      return FORMATS[issue.format] ? `must be ${FORMATS[issue.format]}` : "has the wrong format";
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "unrecognized_keys":
      return explainUnknownNames(issue, noun);
    case "invalid_union":
      return explainUnion(issue);
    default:
      return "is not valid";
  }
}

// The messages of all schemas without their own.
z.config({ customError: (issue) => explainIssue(issue) });

/** The lines of an issue, prefixed with the path: `tags.3: must have at most 64 characters`. */
function linesOf({ code, path, message }: z.core.$ZodIssue, whole: string): string[] {
  const prefix = path.map(String).join(".");
  if (code !== "unrecognized_keys") return [`${prefix || whole}: ${message}`];
  return message.split("\n").map((line) => (prefix ? `${prefix}.${line}` : line));
}

/** Whether an issue is about a day or time. */
export const hasDateProblem = ({ issues }: Pick<z.core.$ZodError, "issues">): boolean =>
  issues.some((issue) => {
    if (issue.code === "invalid_union")
      return issue.errors.some((errors) => hasDateProblem({ issues: errors }));
    if (issue.code === "invalid_format") return issue.format === "date" || issue.format === "datetime";
    return issue.code === "custom" && issue.params?.day === true;
  });

const problemCount = (issue: z.core.$ZodIssue) =>
  issue.code === "unrecognized_keys" ? issue.keys.length : 1;

/** Up to `max` problems with their paths, joined with `; `, and the number of further ones. `whole` names the value itself. */
export function describeProblems({ issues }: z.core.$ZodError, whole = "body", max = MAX_PROBLEMS): string {
  const isUnknown = ({ code }: z.core.$ZodIssue) => code === "unrecognized_keys";
  const ordered = [...issues.filter(isUnknown), ...issues.filter((issue) => !isUnknown(issue))];
  const [first, rest] = [ordered.slice(0, max), ordered.slice(max)];
  const named = first.map((issue) => linesOf(issue, whole));
  const lines = [...new Set(named.flat())];
  const unnamed = [
    ...first.map((issue, index) => problemCount(issue) - (named[index]?.length ?? 0)),
    ...rest.map(problemCount),
    Math.max(0, lines.length - max),
  ];
  const more = unnamed.reduce((sum, count) => sum + count, 0);
  return [...lines.slice(0, max), ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}
