import { AuthorizationError, CimdFetchError } from "@cloudflare/workers-oauth-provider";
import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { AppEnv } from "../core/ctx.ts";
import { AppError } from "../core/errors.ts";
import { answerError } from "../core/http.ts";
import { formSecret } from "./browser.ts";
import { readDestination } from "./destination.ts";
import { Alert, answerPage, MessagePage, RegisterPage, SignInPage } from "./pages.tsx";

// Turns errors into pages, as core/http.ts turns them into JSON.

type Told = { status: ContentfulStatusCode; message: string; retryAfter?: string | undefined };

/** What to tell the person; undefined for an unexpected error. */
function tell(error: Error): Told | undefined {
  if (error instanceof AppError) {
    return { status: error.status, message: error.message, retryAfter: error.headers["Retry-After"] };
  }
  if (error instanceof CimdFetchError) {
    return {
      status: 400,
      message: "The app that sent you here cannot be verified. Start again from the app.",
    };
  }
  if (error instanceof AuthorizationError) {
    return { status: 400, message: `${error.description}. Start again from the app that sent you here.` };
  }
  return undefined;
}

/** Shows a refused form again with the e-mail that was entered; any other error gets its own page. */
async function pageOf(c: Context<AppEnv>, message: string) {
  const { email } = c.req.method === "POST" ? await c.req.parseBody() : {};
  const again = {
    form: formSecret(c),
    to: readDestination(c.req.query("to")),
    email: typeof email === "string" ? email : "",
    alert: message,
  };
  if (c.req.method === "POST" && c.req.path === "/sign-in") {
    return <SignInPage {...again} open={c.env.REGISTRATION === "open"} />;
  }
  if (c.req.method === "POST" && c.req.path === "/sign-in/register") return <RegisterPage {...again} />;
  return (
    <MessagePage title="Something went wrong">
      <Alert>{message}</Alert>
    </MessagePage>
  );
}

/** Answers an error as a page. An unexpected error is logged, and the page reveals nothing about it. */
export async function answerProblem(error: Error, c: Context<AppEnv>): Promise<Response> {
  const told = tell(error);
  if (!told) await answerError(error, c);
  const { status, message, retryAfter } = told ?? {
    status: 500 as const,
    message: "Something went wrong on our side. Try again.",
  };
  if (retryAfter) c.header("Retry-After", retryAfter);
  return answerPage(c, await pageOf(c, message), status);
}
