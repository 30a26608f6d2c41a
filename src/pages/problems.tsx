import type { Context, ErrorHandler } from "hono";
import type { Child } from "hono/jsx";
import type { AppEnv } from "../core/ctx.ts";
import { AppError } from "../core/errors.ts";
import { answerError } from "../core/http.ts";
import { Alert, answerPage, MessagePage } from "./layout.tsx";

// Where an error becomes a page, as core/http.ts makes it JSON.

const ProblemPage = ({ message }: { message: string }) => (
  <MessagePage title="This did not work">
    <Alert>{message}</Alert>
  </MessagePage>
);

const UNEXPECTED = "Something went wrong on our side. Try again.";

/** Answers an error as a page. What nobody meant to throw is logged, and its page says nothing of it. */
export const answerProblem: ErrorHandler<AppEnv> = (error, c) => answerProblemOn(c, error, ProblemPage);

/**
 * The same on a page of the caller's choice, such as the form that was refused.
 *
 * @param page makes the page of what the person is told
 */
export async function answerProblemOn(
  c: Context<AppEnv>,
  error: Error,
  page: (told: { message: string }) => Child | Promise<Child>,
): Promise<Response> {
  if (!(error instanceof AppError)) {
    await answerError(error, c);
    return answerPage(c, await page({ message: UNEXPECTED }), 500);
  }
  const { status, message, headers } = error;
  if (headers["Retry-After"]) c.header("Retry-After", headers["Retry-After"]);
  return answerPage(c, await page({ message }), status);
}
