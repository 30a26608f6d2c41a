import type { Context } from "hono";
import { z } from "zod";
import { countingFailures } from "../auth/attempts.ts";
import { registerHere, stateOf } from "../auth/registration.ts";
import { LoginRequest, RegisterRequest, RegistrationCode } from "../auth/schema.ts";
import { hasSessionCookie, signInBrowser, signOutBrowser } from "../auth/session-cookie.ts";
import { login } from "../auth/store.ts";
import { findAsker } from "../authorize/asker.ts";
import type { AppEnv } from "../core/ctx.ts";
import { AppError, forbidden } from "../core/errors.ts";
import { createRouter } from "../core/openapi.ts";
import { isTimeZone } from "../core/time-zone.ts";
import { formSecret, onlyOwnForms, userOfBrowser } from "../pages/browser.ts";
import { readDestination } from "../pages/destination.ts";
import { answerPage } from "../pages/layout.tsx";
import { answerProblem, answerProblemOn } from "../pages/problems.tsx";
import { limitByAddress, limitBySubject } from "../rate-limit/limit.ts";
import { type Field, type FormPage, RegisterPage, SignInPage } from "./pages.tsx";

async function formOf(c: Context<AppEnv>): Promise<FormPage> {
  const to = readDestination(c.req.query("to"));
  return { form: formSecret(c), to, asker: await findAsker(c, to), ...(await stateOf(c)) };
}

const FORMS: Record<string, typeof SignInPage> = {
  "/sign-in": SignInPage,
  "/sign-in/register": RegisterPage,
};

const LABELS: Record<Field, string> = { email: "E-mail address", password: "Password" };
const isField = (name: unknown): name is Field => name === "email" || name === "password";

/** A 422 that knows which fields it is about. */
class InvalidFields extends AppError {
  readonly fields: Field[];

  constructor({ issues }: z.core.$ZodError) {
    const told = new Map<Field, string>();
    for (const { path, message } of issues) {
      const [name] = path;
      if (isField(name) && !told.has(name)) told.set(name, `${LABELS[name]} ${message}`);
    }
    super(422, [...told.values()].join("; "));
    this.fields = [...told.keys()];
  }
}

/** The fields that a refusal is about: it does not tell whether the e-mail or the password was wrong. */
function fieldsOf(error: Error): readonly Field[] {
  if (error instanceof InvalidFields) return error.fields;
  const status = error instanceof AppError ? error.status : 500;
  if (status === 401) return ["email", "password"];
  return status === 400 ? ["email"] : [];
}

/** Reads the schema's fields from a form. Throws a 422 that names the invalid ones. */
async function read<Schema extends z.ZodObject>(
  c: Context<AppEnv>,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const parsed = schema.strip().safeParse(await c.req.parseBody());
  if (parsed.success) return parsed.data as z.infer<Schema>;
  throw new InvalidFields(parsed.error);
}

/** Redirects the browser after a sign-in. */
const goOn = (c: Context<AppEnv>) => c.redirect(readDestination(c.req.query("to")) ?? "/", 303);

/** The pages sign in with the session cookie. */
const signInOf = (c: Context<AppEnv>) =>
  ({ session: "cookie", userAgent: c.req.header("User-Agent") }) as const;

/** The visitor's time zone according to the browser or Cloudflare; without either, the user sets it later. */
async function zoneOf(c: Context<AppEnv>): Promise<string | undefined> {
  const { timezone } = await c.req.parseBody();
  const guessed = (c.req.raw as { cf?: { timezone?: string } }).cf?.timezone;
  return [timezone, guessed].find((zone): zone is string => typeof zone === "string" && isTimeZone(zone));
}

/** The sign-in pages: for the app, to authorize an MCP client, and to open an assistant's links. */
export const signInRoutes = createRouter();

/** Shows a refused form again with the e-mail that was entered; any other error gets its own page. */
signInRoutes.onError((error, c) => {
  const form = c.req.method === "POST" && FORMS[c.req.path];
  if (!form) {
    const { search } = new URL(c.req.url);
    return answerProblem(error, c, { href: `/sign-in${search}`, text: "Sign in" });
  }
  return answerProblemOn(c, error, async ({ message }) => {
    const body = await c.req.parseBody();
    const [email, code] = [body.email, body.code].map((one) => (typeof one === "string" ? one : ""));
    const page = { ...(await formOf(c)), email, code, alert: message, invalid: fieldsOf(error) };
    return { page: form(page), scripts: true };
  });
});
signInRoutes.post("/", limitByAddress("RATE_LIMIT_MCP_LOGIN"));
signInRoutes.post("/register", limitByAddress("RATE_LIMIT_REGISTER"));
signInRoutes.use(onlyOwnForms);

signInRoutes.get("/", async (c) => {
  const hasEnded = hasSessionCookie(c) && !(await userOfBrowser(c));
  const isExpired = hasEnded || c.req.query("expired") !== undefined;
  return answerPage(c, SignInPage({ ...(await formOf(c)), isExpired }), { scripts: true });
});

signInRoutes.post("/", async (c) => {
  const input = await read(c, LoginRequest.pick({ email: true, password: true }));
  await limitBySubject(c, "RATE_LIMIT_MCP_LOGIN", input.email);
  const signIn = () => login(c.var.base, { ...input, ...signInOf(c) });
  await signInBrowser(c, await countingFailures(c, input.email, signIn));
  return goOn(c);
});

signInRoutes.get("/register", async (c) => {
  const form = await formOf(c);
  if (form.mode === "closed" && !form.needsSetUp)
    throw forbidden("Registration is closed: ask the operator for an account");
  return answerPage(c, RegisterPage(form), { scripts: true });
});

/** An empty field is no code. */
const RegisterForm = RegisterRequest.pick({ email: true, password: true }).extend({
  code: z
    .string()
    .trim()
    .transform((code) => code || undefined)
    .pipe(RegistrationCode.optional()),
});

signInRoutes.post("/register", async (c) => {
  const form = await read(c, RegisterForm.partial({ code: true }));
  const input = { ...form, session: "cookie" as const, timezone: await zoneOf(c) };
  await signInBrowser(c, await registerHere(c, input));
  return goOn(c);
});

signInRoutes.post("/out", async (c) => {
  await signOutBrowser(c);
  return goOn(c);
});
