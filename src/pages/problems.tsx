import type { Context, ErrorHandler } from "hono";
import type { Child } from "hono/jsx";
import type { AppEnv } from "../core/ctx.ts";
import { AppError } from "../core/errors.ts";
import { answerError } from "../core/http.ts";
import { Alert, answerPage, MessagePage } from "./layout.tsx";

// Turns errors into pages, as core/http.ts turns them into JSON.

const ProblemPage = ({ message }: { message: string }) => (
  <MessagePage title="Something went wrong">
    <Alert>{message}</Alert>
  </MessagePage>
);

const UNEXPECTED = "Something went wrong on our side. Try again.";

/** Answers an error as a page. An unexpected error is logged, and the page reveals nothing about it. */
export const answerProblem: ErrorHandler<AppEnv> = (error, c) => answerProblemOn(c, error, ProblemPage);

/**
 * The same on a page of the caller's choice, such as the refused form.
 *
 * @param page renders the page with the message
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
