import type { Context } from "hono";
import type { AppEnv } from "../platform/core/ctx.ts";
import { createRouter } from "../platform/http/openapi.ts";
import { userOfBrowser } from "../doors/pages/browser.ts";
import { signInAddress } from "../doors/pages/destination.ts";
import { answerProblem } from "../doors/pages/problems.tsx";

// The links in an assistant's answers. They lead to the app, which also says that something was not found.

const openIn = (folder: string) => async (c: Context<AppEnv>) => {
  const to = `/${folder}/${encodeURIComponent(c.req.param("id") ?? "")}`;
  return c.redirect((await userOfBrowser(c)) ? to : signInAddress(to), 303);
};

export const openRoutes = createRouter();
openRoutes.onError((error, c) => answerProblem(error, c));
openRoutes.get("/doc/:id", openIn("documents"));
openRoutes.get("/memory/:id", openIn("records"));
