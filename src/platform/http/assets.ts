import type { Context, NotFoundHandler } from "hono";
import type { AppEnv } from "../core/ctx.ts";
import { notFound } from "../core/errors.ts";

// The app's paths exist only in the browser, so each of them is answered with index.html.

const OWN_PATHS =
  /^\/((api|mcp|authorize|oauth|sign-in|open|redoc|openapi\.json|\.well-known|health)(\/|$)|docs\/?$)/;

/** Folders of files: no page of the app is below them. */
const FOLDERS = /^\/(app|docs|pages|vendor)\//;

const isRead = ({ method }: Request) => method === "GET" || method === "HEAD";

const isNavigation = (c: Context<AppEnv>) =>
  c.req.path === "/" ||
  c.req.header("Sec-Fetch-Mode") === "navigate" ||
  (c.req.header("Accept") ?? "").includes("text/html");

const isPage = (answer: Response) => (answer.headers.get("Content-Type") ?? "").startsWith("text/html");

/** Serves the app. A missing file must not be index.html, which browsers would keep under its name. */
export const answerUnmatched: NotFoundHandler<AppEnv> = async (c) => {
  if (!isRead(c.req.raw) || OWN_PATHS.test(c.req.path)) throw notFound();
  const answer = await c.env.ASSETS.fetch(c.req.raw);
  const isMissing = isPage(answer) && (!isNavigation(c) || FOLDERS.test(c.req.path));
  if (answer.status === 404 || isMissing) throw notFound();
  return answer;
};
