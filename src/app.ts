import { OpenAPIHono } from "@hono/zod-openapi";
import { except } from "hono/combine";
import { requestId } from "hono/request-id";
import { STRIPE_WEBHOOK_PATH } from "./contract/stripe-events.ts";
import { authorizeRoutes } from "./doors/authorize/routes.ts";
import { docsRoutes } from "./doors/docs/routes.ts";
import { mcpRoutes } from "./doors/mcp/routes.ts";
import { allowReadingByPages, oauthRoutes, wellKnownRoutes } from "./doors/oauth/routes.ts";
import { openRoutes } from "./doors/open/routes.ts";
import { redirectToSignIn } from "./doors/pages/destination.ts";
import { signInRoutes } from "./doors/sign-in/routes.ts";
import { activityRoutes } from "./features/activity/routes.ts";
import { apiKeyRoutes } from "./features/api-keys/routes.ts";
import { guard, hideBodyFromWriteOnlyKeys, requireSigningSecret } from "./features/auth/guard.ts";
import { authRoutes } from "./features/auth/routes.ts";
import { billingRoutes, stripeWebhook } from "./features/billing/routes.ts";
import { briefingRoutes } from "./features/briefing/routes.ts";
import { changeRoutes } from "./features/changes/routes.ts";
import { connectionRoutes } from "./features/connections/routes.ts";
import { dashboardRoutes } from "./features/dashboard/routes.ts";
import { documentRoutes } from "./features/documents/routes.ts";
import { exportRoutes } from "./features/export/routes.ts";
import { fileRoutes } from "./features/files/routes.ts";
import { folderRoutes } from "./features/folders/routes.ts";
import { healthRoutes } from "./features/health/routes.ts";
import { importRoutes } from "./features/import/routes.ts";
import { jobRoutes } from "./features/jobs/routes.ts";
import { memoryRoutes } from "./features/memories/routes.ts";
import { projectRoutes } from "./features/projects/routes.ts";
import { pushRoutes } from "./features/push/routes.ts";
import { reminderRoutes } from "./features/reminders/routes.ts";
import { searchRoutes } from "./features/search/routes.ts";
import { tagRoutes } from "./features/tags/routes.ts";
import { tidyRoutes } from "./features/tidy/routes.ts";
import { trashRoutes } from "./features/trash/routes.ts";
import { webhookRoutes } from "./features/webhooks/routes.ts";
import { wakeAfterChanges } from "./features/webhooks/wake.ts";
import type { AppEnv } from "./platform/core/ctx.ts";
import { enforceAllowSecret } from "./platform/http/allow-secret.ts";
import { serveAssets } from "./platform/http/assets.ts";
import { readBody } from "./platform/http/body.ts";
import { checkFront } from "./platform/http/front.ts";
import {
  allowOrigins,
  answerError,
  rejectInvalid,
  rejectUnsupportedMethods,
  secureHeaders,
  sendChangeId,
  varyByOrigin,
} from "./platform/http/http.ts";
import { retryInNewShard, withDatabase } from "./platform/shards/router.ts";

/** Routes that set their own CORS headers, or none: pages, MCP and its OAuth server. */
const ROUTES_WITH_OWN_CORS = {
  "/mcp": mcpRoutes,
  "/mcp/": mcpRoutes,
  "/oauth": oauthRoutes,
  "/authorize": authorizeRoutes,
  "/sign-in": signInRoutes,
  "/open": openRoutes,
  "/.well-known": wellKnownRoutes,
};

/** Called by programs, including ones that run in a page of any origin. */
const CROSS_ORIGIN_PATHS = ["/mcp/*", "/oauth/*", "/.well-known/*"];

/** The same for every origin. With `Vary: Origin`, a browser would refetch files that it has already cached. */
const APP_ASSETS = "/app/*";

export const app = new OpenAPIHono<AppEnv>({ defaultHook: rejectInvalid });

app.onError(answerError);
app.notFound((c) => redirectToSignIn(c) ?? serveAssets(c));
app.use(
  retryInNewShard(app),
  requestId(),
  secureHeaders,
  except(APP_ASSETS, varyByOrigin),
  checkFront,
  except([APP_ASSETS, ...Object.keys(ROUTES_WITH_OWN_CORS).map((path) => `${path}/*`)], allowOrigins),
);
for (const path of CROSS_ORIGIN_PATHS) app.use(path, allowReadingByPages);
app.use(
  rejectUnsupportedMethods(app),
  requireSigningSecret,
  withDatabase,
  readBody("/mcp", "/mcp/", STRIPE_WEBHOOK_PATH),
);

app.route("/health", healthRoutes);
app.route("/", docsRoutes(app));
for (const [path, routes] of Object.entries(ROUTES_WITH_OWN_CORS)) app.route(path, routes);

app.post(STRIPE_WEBHOOK_PATH, stripeWebhook);

// The API. Each operation declares who may call it and what it accepts; see platform/http/rules.ts.
app.use("/api/*", guard, hideBodyFromWriteOnlyKeys, wakeAfterChanges, sendChangeId);
for (const path of ["/api/documents/*", "/api/memories/*"]) app.use(path, enforceAllowSecret);
app.route("/api/activity", activityRoutes);
app.route("/api/api-keys", apiKeyRoutes);
app.route("/api/auth", authRoutes);
app.route("/api/billing", billingRoutes);
app.route("/api/briefing", briefingRoutes);
app.route("/api/changes", changeRoutes);
app.route("/api/connections", connectionRoutes);
app.route("/api/dashboard", dashboardRoutes);
app.route("/api/documents", documentRoutes);
app.route("/api/export", exportRoutes);
app.route("/api/files", fileRoutes);
app.route("/api/folders", folderRoutes);
app.route("/api/import", importRoutes);
app.route("/api/jobs", jobRoutes);
app.route("/api/memories", memoryRoutes);
app.route("/api/projects", projectRoutes);
app.route("/api/push", pushRoutes);
app.route("/api/reminders", reminderRoutes);
app.route("/api/search", searchRoutes);
app.route("/api/tags", tagRoutes);
app.route("/api/tidy", tidyRoutes);
app.route("/api/trash", trashRoutes);
app.route("/api/webhooks", webhookRoutes);
