import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { base64url } from "jose";
import { sha256 } from "../../platform/core/bytes.ts";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { matchesEtag } from "../../platform/http/etag.ts";
import { createRouter } from "../../platform/http/openapi.ts";
import { readBrowserUser } from "../pages/browser.ts";
import { describeApi } from "./openapi.ts";
import { type DocsPage, redocPage, swaggerPage } from "./pages.tsx";

type Published = { bytes: ArrayBuffer; etag: string };

/** Serves a JSON text that is the same for all requests. It is generated once, because that blocks the thread. */
function publishJson(build: () => unknown): (c: Context) => Promise<Response> {
  let text: string | undefined;
  let published: Published | undefined;
  return async (c) => {
    text ??= JSON.stringify(build());
    published ??= {
      bytes: new Uint8Array(new TextEncoder().encode(text)).buffer,
      etag: `"${base64url.encode(await sha256(text)).slice(0, 16)}"`,
    };
    const { bytes, etag } = published;
    const headers = { ETag: etag, "Cache-Control": "no-cache" };
    if (matchesEtag(c.req.header("If-None-Match"), etag)) return c.body(null, 304, headers);
    return c.body(bytes, 200, { ...headers, "Content-Type": "application/json" });
  };
}

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
