import type { z } from "zod";

// Fields that only mean something beside a value of another one. What would have no effect is refused by name.

type Value = string | boolean;

/** Of one field: the other one beside which it is accepted, with which of its values (any, if not given), and which need it. */
export type Company = { with: string; values?: readonly Value[]; needed?: readonly Value[] };
export type Companies = Record<string, Company>;

type Misfit = { field: string; message: string };

const listed = (values: readonly Value[]) =>
  values.length < 2 ? values.join("") : `${values.slice(0, -1).join(", ")} and ${values.at(-1)}`;

function misfitOf(field: string, company: Company, sent: Record<string, unknown>): Misfit | undefined {
  const { with: other, values, needed = [] } = company;
  const value = sent[other] as Value | undefined;
  const isSent = sent[field] !== undefined && sent[field] !== false;
  if (!isSent && value !== undefined && needed.includes(value))
    return { field, message: `is required by ${value}` };
  if (!isSent || (values ? values.some((one) => one === value) : value !== undefined)) return undefined;
  const isWord = values?.every((one) => typeof one === "string") && value !== undefined;
  const message = isWord ? `goes with ${listed(values)}, not with ${value}` : `goes with ${other}`;
  return { field, message };
}

/** What does not go together in what was sent, and what is missing. */
export const misfitsIn = (companies: Companies, sent: Record<string, unknown>): Misfit[] =>
  Object.entries(companies).flatMap(([field, company]) => misfitOf(field, company, sent) ?? []);

/** The same as a check of a schema. */
export const goTogether =
  (companies: Companies) =>
  (sent: Record<string, unknown>, issue: z.core.$RefinementCtx): void => {
    for (const { field, message } of misfitsIn(companies, sent))
      issue.addIssue({ code: "custom", path: [field], message });
  };
