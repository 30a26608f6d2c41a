import type { Context } from "hono";
import type { z } from "zod";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { AppError } from "../../platform/core/errors.ts";
import type { FieldErrors, FormField } from "./pages.tsx";

const LABELS: Record<FormField, string> = { email: "Email address", password: "Password", code: "Code" };
const isField = (name: unknown): name is FormField => Object.hasOwn(LABELS, String(name));

function sentenceAbout(name: FormField, message: string): string {
  if (name === "email") return "Enter a full email address.";
  return message === "must not be empty"
    ? `Enter ${name === "code" ? "the" : "a"} ${name}.`
    : `${LABELS[name]} ${message}.`;
}

class InvalidFields extends AppError {
  readonly fields: FieldErrors;

  constructor({ issues }: z.core.$ZodError) {
    const fields: FieldErrors = {};
    for (const { path, message } of issues) {
      const [name] = path;
      if (isField(name)) fields[name] ??= sentenceAbout(name, message);
    }
    super(422, Object.values(fields).join(" "));
    this.fields = fields;
  }
}

/** What is wrong with each field; undefined if the error is not about single fields. */
export const fieldErrorsOf = (error: Error): FieldErrors | undefined =>
  error instanceof InvalidFields ? error.fields : undefined;

/** The fields that an error may concern. It does not reveal whether the email address or the password was wrong. */
export function invalidFieldsOf(error: Error): readonly FormField[] {
  if (error instanceof InvalidFields) return Object.keys(error.fields).filter(isField);
  const status = error instanceof AppError ? error.status : 500;
  if (status === 401) return ["email", "password", "code"];
  return status === 400 ? ["email", "code"] : [];
}

export async function readForm<Schema extends z.ZodObject>(
  c: Context<AppEnv>,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const parsed = schema.strip().safeParse(await c.req.parseBody());
  if (parsed.success) return parsed.data as z.infer<Schema>;
  throw new InvalidFields(parsed.error);
}

export async function enteredValue(
  c: Context<AppEnv>,
  name: FormField | "ticket" | "region",
): Promise<string> {
  const { [name]: value } = await c.req.parseBody();
  return typeof value === "string" ? value : "";
}
