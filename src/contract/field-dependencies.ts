import type { z } from "zod";

// Fields that only have an effect together with a certain value of another field. Without it they are rejected by name.

type Value = string | boolean;

export type FieldDependency = {
  /** The other field, which must be present. */
  with: string;
  /** Values of the other field that accept this one; any if undefined. */
  values?: readonly Value[];
  /** Values of the other field that require this one. */
  needed?: readonly Value[];
};
export type FieldDependencies = Record<string, FieldDependency>;

type DependencyProblem = { field: string; message: string };

const joinWithAnd = (values: readonly Value[]) =>
  values.length < 2 ? values.join("") : `${values.slice(0, -1).join(", ")} and ${values.at(-1)}`;

function dependencyProblem(
  field: string,
  dependency: FieldDependency,
  sent: Record<string, unknown>,
): DependencyProblem | undefined {
  const { with: other, values, needed = [] } = dependency;
  const value = sent[other] as Value | undefined;
  const isSent = sent[field] !== undefined && sent[field] !== false;
  if (!isSent && value !== undefined && needed.includes(value))
    return { field, message: `is required by ${value}` };
  if (!isSent || (values ? values.some((one) => one === value) : value !== undefined)) return undefined;
  const isWord = values?.every((one) => typeof one === "string") && value !== undefined;
  const message = isWord ? `goes with ${joinWithAnd(values)}, not with ${value}` : `goes with ${other}`;
  return { field, message };
}

/** Fields sent without the value they depend on, and required fields that are missing. */
export const dependencyProblems = (
  dependencies: FieldDependencies,
  sent: Record<string, unknown>,
): DependencyProblem[] =>
  Object.entries(dependencies).flatMap(
    ([field, dependency]) => dependencyProblem(field, dependency, sent) ?? [],
  );

/** `dependencyProblems` as a check of a zod schema. */
export const checkDependencies =
  (dependencies: FieldDependencies) =>
  (sent: Record<string, unknown>, issue: z.core.$RefinementCtx): void => {
    for (const { field, message } of dependencyProblems(dependencies, sent))
      issue.addIssue({ code: "custom", path: [field], message });
  };
