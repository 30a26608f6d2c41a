import type { Context } from "hono";
import type { z } from "zod";
import { countingFailures, rememberOrigin } from "../auth/attempts.ts";
import { LoginRequest, RegisterRequest } from "../auth/schema.ts";
import { signInBrowser, signOutBrowser } from "../auth/session-cookie.ts";
import { login, register } from "../auth/store.ts";
import { PlanTier } from "../billing/schema.ts";
import type { AppEnv } from "../core/ctx.ts";
import { forbidden, invalid } from "../core/errors.ts";
import { createRouter } from "../core/openapi.ts";
import { problemsOf } from "../core/problems.ts";
import { isTimeZone } from "../core/time-zone.ts";
import { formSecret, onlyOwnForms } from "../pages/browser.ts";
import { readDestination } from "../pages/destination.ts";
import { answerPage, MessagePage } from "../pages/layout.tsx";
import { answerProblem, answerProblemOn } from "../pages/problems.tsx";
import { limitByAddress, limitBySubject } from "../rate-limit/limit.ts";
import { RegisterPage, SignInPage } from "./pages.tsx";

const isOpen = (c: Context<AppEnv>) => c.env.REGISTRATION === "open";

const formOf = (c: Context<AppEnv>) => ({ form: formSecret(c), to: readDestination(c.req.query("to")) });

const FORMS: Record<string, typeof SignInPage> = {
  "/sign-in": SignInPage,
  "/sign-in/register": RegisterPage,
};

/** Reads the schema's fields from a form. Throws a 422 that names the invalid ones. */
async function read<Schema extends z.ZodObject>(
  c: Context<AppEnv>,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const parsed = schema.strip().safeParse(await c.req.parseBody());
  if (parsed.success) return parsed.data as z.infer<Schema>;
  throw invalid(problemsOf(parsed.error));
}

/** Redirects the browser after a sign-in. */
function goOn(c: Context<AppEnv>): Response | Promise<Response> {
  const to = readDestination(c.req.query("to"));
  return to ? c.redirect(to, 303) : c.redirect("/sign-in/done", 303);
}

/** The pages sign in with the session cookie. */
const signInOf = (c: Context<AppEnv>) =>
  ({ session: "cookie", userAgent: c.req.header("User-Agent") }) as const;

/** The visitor's time zone according to Cloudflare; elsewhere the user sets it later. */
function zoneOf(c: Context<AppEnv>): string | undefined {
  const zone = (c.req.raw as { cf?: { timezone?: string } }).cf?.timezone;
  return zone && isTimeZone(zone) ? zone : undefined;
}

/** Sign-in pages: needed to authorize an MCP client and to open an assistant's links. */
export const signInRoutes = createRouter();

/** Shows a refused form again with the e-mail that was entered; any other error gets its own page. */
signInRoutes.onError((error, c) => {
  const form = c.req.method === "POST" && FORMS[c.req.path];
  if (!form) return answerProblem(error, c);
  return answerProblemOn(c, error, async ({ message }) => {
    const { email } = await c.req.parseBody();
    return form({
      ...formOf(c),
      email: typeof email === "string" ? email : "",
      alert: message,
      open: isOpen(c),
    });
  });
});
signInRoutes.post("/", limitByAddress("RATE_LIMIT_MCP_LOGIN"));
signInRoutes.post("/register", limitByAddress("RATE_LIMIT_REGISTER"));
signInRoutes.use(onlyOwnForms);

signInRoutes.get("/", (c) => answerPage(c, SignInPage({ ...formOf(c), open: isOpen(c) })));

signInRoutes.post("/", async (c) => {
  const input = await read(c, LoginRequest);
  await limitBySubject(c, "RATE_LIMIT_MCP_LOGIN", input.email);
  await signInBrowser(
    c,
    await countingFailures(c, input.email, () => login(c.var.base, { ...input, ...signInOf(c) })),
  );
  return goOn(c);
});

signInRoutes.get("/register", (c) => {
  if (!isOpen(c)) throw forbidden("Registration is closed: ask the operator for an account");
  return answerPage(c, RegisterPage(formOf(c)));
});

signInRoutes.post("/register", async (c) => {
  if (!isOpen(c)) throw forbidden("Registration is closed: ask the operator for an account");
  const form = await read(c, RegisterRequest.pick({ email: true, password: true }));
  await limitBySubject(c, "RATE_LIMIT_REGISTER", form.email);
  const registration = {
    ...form,
    timezone: zoneOf(c),
    ...signInOf(c),
    planTier: PlanTier.parse(c.env.PLAN_TIER),
  };
  const signedIn = await register(c.var.base, registration);
  await rememberOrigin(c, form.email);
  await signInBrowser(c, signedIn);
  return goOn(c);
});

signInRoutes.get("/done", (c) =>
  answerPage(c, MessagePage({ title: "You are signed in", children: "You can close this page." })),
);

signInRoutes.post("/out", async (c) => {
  await signOutBrowser(c);
  return goOn(c);
});
