import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { createRouter } from "../../platform/http/openapi.ts";
import { readBrowserUser } from "../pages/browser.ts";
import { describeApi } from "./openapi.ts";
import { type DocsPage, redocPage, swaggerPage } from "./pages.tsx";
import { publishJson } from "./published.ts";

const answerPage = (c: Context<AppEnv>, { html, policy }: DocsPage) =>
  c.html(html, 200, {
    "Content-Security-Policy": policy,
    // With no-referrer, browsers send the page's own requests with the origin "null".
    "Referrer-Policy": "same-origin",
  });

export function docsRoutes(app: OpenAPIHono<AppEnv>) {
  return createRouter()
    .get(
      "/openapi.json",
      publishJson(() => describeApi(app)),
    )
    .get("/docs", async (c) => answerPage(c, swaggerPage((await readBrowserUser(c))?.email)))
    .get("/redoc", (c) => answerPage(c, redocPage));
}
