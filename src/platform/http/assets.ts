import type { Context, NotFoundHandler } from "hono";
import { APP_PATHS } from "../../contract/paths.ts";
import type { AppEnv } from "../core/ctx.ts";
import { notFound } from "../core/errors.ts";

// The app's paths exist only in the browser, so each of them is answered with index.html, and nothing else is.

const OWN_PATHS =
  /^\/((api|mcp|authorize|oauth|sign-in|open|redoc|openapi\.json|\.well-known|health)(\/|$)|docs\/?$)/;

/** Its screens, as `contract/paths.ts` lists them. */
const SCREEN = new RegExp(`^/${APP_PATHS}$`);

/** What no page of the app is called, even one that somebody mistypes: names of files, and what is in folders of them. */
const FILE = /\.|^\/(app|docs|pages|vendor)\//;

const isRead = ({ method }: Request) => method === "GET" || method === "HEAD";

const isNavigation = (c: Context<AppEnv>) =>
  c.req.path === "/" ||
  c.req.header("Sec-Fetch-Mode") === "navigate" ||
  (c.req.header("Accept") ?? "").includes("text/html");

const isPage = (answer: Response) => (answer.headers.get("Content-Type") ?? "").startsWith("text/html");

/** What browsers ask for by themselves where no page names an icon. */
const ICON = "/favicon.ico";

function askAssets({ req: { raw, path }, env }: Context<AppEnv>): Promise<Response> {
  return env.ASSETS.fetch(path === ICON ? new Request(new URL("/icons/icon-192.png", raw.url), raw) : raw);
}

/**
 * Serves the app and its files. A missing file must not be index.html, which browsers would keep under its name. A page that
 * there is not is a 404 as well, of which the app tells a person.
 */
export const answerUnmatched: NotFoundHandler<AppEnv> = async (c) => {
  const { path, raw } = c.req;
  if (!isRead(raw) || OWN_PATHS.test(path)) throw notFound();
  const answer = await askAssets(c);
  if (!isPage(answer) && answer.status !== 404) return answer;
  const isScreen = SCREEN.test(path);
  if (answer.status === 404 || !isNavigation(c) || (FILE.test(path) && !isScreen)) throw notFound();
  return isScreen ? answer : new Response(answer.body, { status: 404, headers: answer.headers });
};
