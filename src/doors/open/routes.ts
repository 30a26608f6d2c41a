import type { Context } from "hono";
import { OPEN_LINK_PATHS, screenPath } from "../../contract/paths.ts";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { createRouter } from "../../platform/http/openapi.ts";
import { readBrowserUser } from "../pages/browser.ts";
import { signInUrl } from "../pages/destination.ts";
import { answerErrorPage } from "../pages/problems.tsx";

// Links in assistants' answers. They redirect to the app, which also shows if something was not found.

const openIn = (screen: "document" | "record") => async (c: Context<AppEnv>) => {
  const to = screenPath(screen, c.req.param("id"));
  return c.redirect((await readBrowserUser(c)) ? to : signInUrl(to), 303);
};

const belowOpen = (path: string) => path.replace("/open", "");

export const openRoutes = createRouter();
openRoutes.onError((error, c) => answerErrorPage(error, c));
openRoutes.get(belowOpen(OPEN_LINK_PATHS.document), openIn("document"));
openRoutes.get(belowOpen(OPEN_LINK_PATHS.memory), openIn("record"));
