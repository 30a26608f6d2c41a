import type { Context } from "hono";
import { OPENED, pathOf } from "../../contract/paths.ts";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { createRouter } from "../../platform/http/openapi.ts";
import { userOfBrowser } from "../pages/browser.ts";
import { signInAddress } from "../pages/destination.ts";
import { answerProblem } from "../pages/problems.tsx";

// Links in assistants' answers. They redirect to the app, which also shows if something was not found.

const openIn = (screen: "document" | "record") => async (c: Context<AppEnv>) => {
  const to = pathOf(screen, c.req.param("id"));
  return c.redirect((await userOfBrowser(c)) ? to : signInAddress(to), 303);
};

const belowOpen = (path: string) => path.replace("/open", "");

export const openRoutes = createRouter();
openRoutes.onError((error, c) => answerProblem(error, c));
openRoutes.get(belowOpen(OPENED.document), openIn("document"));
openRoutes.get(belowOpen(OPENED.memory), openIn("record"));
