import type { Context, NotFoundHandler } from "hono";
import { APP_PATHS } from "../../contract/paths.ts";
import type { AppEnv } from "../core/ctx.ts";
import { notFound } from "../core/errors.ts";
import { isRead } from "./rules.ts";

// The app's routes exist only in the browser, so each of them is answered with index.html, and no other path is.

const OWN_PATHS =
  /^\/((api|mcp|authorize|oauth|sign-in|open|redoc|openapi\.json|\.well-known|health)(\/|$)|docs\/?$)/;

const SCREEN = new RegExp(`^/${APP_PATHS}$`);

/** Paths of files, which are not mistyped paths of screens: they have an extension or are in a folder of files. */
const FILE = /\.|^\/(app|docs|pages|vendor)\//;

const isNavigation = (c: Context<AppEnv>) =>
  c.req.path === "/" ||
  c.req.header("Sec-Fetch-Mode") === "navigate" ||
  (c.req.header("Accept") ?? "").includes("text/html");

const isPage = (answer: Response) => (answer.headers.get("Content-Type") ?? "").startsWith("text/html");

/** Browsers request /favicon.ico if a page names no icon. */
const assetRequest = (path: string, raw: Request) =>
  path === "/favicon.ico" ? new Request(new URL("/icons/icon-192.png", raw.url), raw) : raw;

/** A missing page is index.html with status 404. A missing file is not, because browsers would cache that under its name. */
export const serveAssets: NotFoundHandler<AppEnv> = async (c) => {
  const { path, raw } = c.req;
  if (!isRead(raw.method) || OWN_PATHS.test(path)) throw notFound();
  const answer = await c.env.ASSETS.fetch(assetRequest(path, raw));
  if (!isPage(answer) && answer.status !== 404) return answer;
  const isScreen = SCREEN.test(path);
  if (answer.status === 404 || !isNavigation(c) || (FILE.test(path) && !isScreen)) throw notFound();
  return isScreen ? answer : new Response(answer.body, { status: 404, headers: answer.headers });
};
