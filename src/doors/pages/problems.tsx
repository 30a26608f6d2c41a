import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { AppError } from "../../platform/core/errors.ts";
import { answerError } from "../../platform/http/http.ts";
import { Alert, answerPage, Layout } from "./layout.tsx";

// Renders errors as pages; platform/http/http.ts renders them as JSON.

export type PageLink = { href: string; text: string };

const HOME: PageLink = { href: "/", text: "Go to Commonplace" };

type Options = {
  onward?: PageLink | undefined;
  /** What to do, if that is known. The message then explains it. */
  heading?: string | undefined;
};

const ProblemPage = ({ message, onward = HOME, heading }: Options & { message: string }) => (
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
export const answerErrorPage = (error: Error, c: Context<AppEnv>, options: Options = {}): Promise<Response> =>
  answerErrorOn(c, error, (message) => ({ page: ProblemPage({ message, ...options }) }));

type RenderedPage = { page: Child; scripts?: boolean };

/** The same on another page, such as the form that was rejected. `show` renders it with the message. */
export async function answerErrorOn(
  c: Context<AppEnv>,
  error: Error,
  show: (message: string) => RenderedPage | Promise<RenderedPage>,
): Promise<Response> {
  const expected = error instanceof AppError ? error : undefined;
  if (!expected) await answerError(error, c);
  const retryAfter = expected?.headers["Retry-After"];
  if (retryAfter) c.header("Retry-After", retryAfter);
  const { page, ...options } = await show(expected?.message ?? UNEXPECTED);
  return answerPage(c, page, { ...options, status: expected?.status ?? 500 });
}
