import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { createRouter } from "../../platform/http/openapi.ts";
import { userOfBrowser } from "../pages/browser.ts";
import { describeApi } from "./openapi.ts";
import { type Page, redocPage, swaggerPage } from "./pages.tsx";

const answerPage = (c: Context<AppEnv>, { html, policy }: Page) =>
  c.html(html, 200, {
    "Content-Security-Policy": policy,
    // With no-referrer, browsers send the page's own requests with the origin "null".
    "Referrer-Policy": "same-origin",
  });

/** The documentation of an app: its OpenAPI description, and two pages that display it. */
export function docsRoutes(app: OpenAPIHono<AppEnv>) {
  let description: ReturnType<typeof describeApi> | undefined;
  return createRouter()
    .get("/openapi.json", (c) => {
      description ??= describeApi(app);
      return c.json(description);
    })
    .get("/docs", async (c) => answerPage(c, swaggerPage((await userOfBrowser(c))?.email)))
    .get("/redoc", (c) => answerPage(c, redocPage));
}
