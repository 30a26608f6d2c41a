import type { Context } from "hono";
import type { z } from "zod";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { AppError } from "../../platform/core/errors.ts";
import type { Field } from "./pages.tsx";

const LABELS: Record<Field, string> = { email: "Email address", password: "Password", code: "Code" };
const isField = (name: unknown): name is Field => Object.hasOwn(LABELS, String(name));

class InvalidFields extends AppError {
  readonly fields: Field[];

  constructor({ issues }: z.core.$ZodError) {
    const messages = new Map<Field, string>();
    for (const { path, message } of issues) {
      const [name] = path;
      if (isField(name) && !messages.has(name)) messages.set(name, `${LABELS[name]} ${message}`);
    }
    super(422, [...messages.values()].join("; "));
    this.fields = [...messages.keys()];
  }
}

/** The fields that an error may concern. It does not reveal whether the email address or the password was wrong. */
export function fieldsOf(error: Error): readonly Field[] {
  if (error instanceof InvalidFields) return error.fields;
  const status = error instanceof AppError ? error.status : 500;
  if (status === 401) return ["email", "password", "code"];
  return status === 400 ? ["email", "code"] : [];
}

export async function read<Schema extends z.ZodObject>(
  c: Context<AppEnv>,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const parsed = schema.strip().safeParse(await c.req.parseBody());
  if (parsed.success) return parsed.data as z.infer<Schema>;
  throw new InvalidFields(parsed.error);
}

export async function entered(c: Context<AppEnv>, name: Field | "ticket" | "region"): Promise<string> {
  const { [name]: value } = await c.req.parseBody();
  return typeof value === "string" ? value : "";
}
