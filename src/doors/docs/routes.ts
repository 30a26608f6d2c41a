import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { createRouter } from "../../platform/http/openapi.ts";
import { userOfBrowser } from "../pages/browser.ts";
import { describeApi } from "./openapi.ts";
import { type Page, redocPage, swaggerPage } from "./pages.tsx";
import { publishing } from "./published.ts";

const answerPage = (c: Context<AppEnv>, { html, policy }: Page) =>
  c.html(html, 200, {
    "Content-Security-Policy": policy,
    // With no-referrer, browsers send the page's own requests with the origin "null".
    "Referrer-Policy": "same-origin",
  });

export function docsRoutes(app: OpenAPIHono<AppEnv>) {
  return createRouter()
    .get(
      "/openapi.json",
      publishing(() => describeApi(app)),
    )
    .get("/docs", async (c) => answerPage(c, swaggerPage((await userOfBrowser(c))?.email)))
    .get("/redoc", (c) => answerPage(c, redocPage));
}
