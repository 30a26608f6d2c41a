import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { AppError } from "../../platform/core/errors.ts";
import { answerError } from "../../platform/http/http.ts";
import { Alert, answerPage, Layout } from "./layout.tsx";

// Turns errors into pages, as platform/http/http.ts turns them into JSON.

/** Where a page with an error leads. */
export type Onward = { href: string; text: string };

const HOME: Onward = { href: "/", text: "Go to Commonplace" };

type Told = {
  onward?: Onward | undefined;
  /** What to do, where that is known: the message then explains it. */
  heading?: string | undefined;
};

const ProblemPage = ({ message, onward = HOME, heading }: Told & { message: string }) => (
  <Layout title={heading ?? "Something went wrong"} problem={message}>
    <h1>{heading ?? "Something went wrong"}</h1>
    {heading ? <p>{message}</p> : <Alert>{message}</Alert>}
    <p class="actions">
      <a class="button primary" href={onward.href}>
        {onward.text}
      </a>
    </p>
  </Layout>
);

const UNEXPECTED = "Something went wrong on our side. Try again.";

/** Answers an error as a page. An unexpected error is logged, and the page reveals nothing about it. */
export const answerProblem = (error: Error, c: Context<AppEnv>, told: Told = {}): Promise<Response> =>
  answerProblemOn(c, error, ({ message }) => ({ page: ProblemPage({ message, ...told }) }));

/** A page that shows an error. */
type Shown = { page: Child; scripts?: boolean };

/**
 * The same on a page of the caller's choice, such as the refused form.
 *
 * @param show renders the page with the message
 */
export async function answerProblemOn(
  c: Context<AppEnv>,
  error: Error,
  show: (told: { message: string }) => Shown | Promise<Shown>,
): Promise<Response> {
  if (!(error instanceof AppError)) {
    await answerError(error, c);
    const { page, ...options } = await show({ message: UNEXPECTED });
    return answerPage(c, page, { ...options, status: 500 });
  }
  const { status, message, headers } = error;
  if (headers["Retry-After"]) c.header("Retry-After", headers["Retry-After"]);
  const { page, ...options } = await show({ message });
  return answerPage(c, page, { ...options, status });
}
