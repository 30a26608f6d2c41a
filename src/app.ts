import { OpenAPIHono } from "@hono/zod-openapi";
import { requestId } from "hono/request-id";
import { activityRoutes } from "./activity/routes.ts";
import { apiKeyRoutes } from "./features/api-keys/routes.ts";
import { guard, withholdUnread } from "./features/auth/guard.ts";
import { authRoutes } from "./features/auth/routes.ts";
import { authorizeRoutes } from "./doors/authorize/routes.ts";
import { billingRoutes } from "./features/billing/routes.ts";
import { changeRoutes } from "./features/changes/routes.ts";
import { connectionRoutes } from "./features/connections/routes.ts";
import { answerUnmatched } from "./platform/http/assets.ts";
import type { AppEnv } from "./platform/core/ctx.ts";
import { checkFront } from "./platform/http/front.ts";
import {
  allowOrigins,
  answerError,
  limitBody,
  refuseInvalid,
  refuseOtherMethods,
  secureHeaders,
  varyByOrigin,
} from "./platform/http/http.ts";
import { calendarRoutes, dashboardRoutes } from "./features/dashboard/routes.ts";
import { docsRoutes } from "./doors/docs/routes.ts";
import { documentRoutes } from "./features/documents/routes.ts";
import { exportRoutes } from "./features/export/routes.ts";
import { folderRoutes } from "./features/folders/routes.ts";
import { healthRoutes } from "./features/health/routes.ts";
import { leadOn, withDatabase } from "./platform/homes/router.ts";
import { importRoutes } from "./features/import/routes.ts";
import { mcpRoutes } from "./doors/mcp/routes.ts";
import { memoryRoutes } from "./memories/routes.ts";
import { oauthRoutes, wellKnownRoutes } from "./doors/oauth/routes.ts";
import { openRoutes } from "./open/routes.ts";
import { toSignIn } from "./doors/pages/entrance.ts";
import { projectRoutes } from "./features/projects/routes.ts";
import { pushRoutes } from "./features/push/routes.ts";
import { reminderRoutes } from "./features/reminders/routes.ts";
import { searchRoutes } from "./features/search/routes.ts";
import { signInRoutes } from "./doors/sign-in/routes.ts";
import { tagRoutes } from "./features/tags/routes.ts";
import { trashRoutes } from "./features/trash/routes.ts";
import { webhookRoutes } from "./features/webhooks/routes.ts";
import { sendEvents } from "./features/webhooks/wake.ts";

export const app = new OpenAPIHono<AppEnv>({ defaultHook: refuseInvalid });

app.onError(answerError);
app.notFound((c) => toSignIn(c) ?? answerUnmatched(c));
app.use(
  leadOn(app),
  requestId(),
  secureHeaders,
  varyByOrigin,
  checkFront,
  allowOrigins,
  refuseOtherMethods(app),
);
app.use(withDatabase, limitBody);

// Public routes.
app.route("/health", healthRoutes);
app.route("/", docsRoutes(app));
app.route("/mcp", mcpRoutes);
app.route("/oauth", oauthRoutes);
app.route("/authorize", authorizeRoutes);
app.route("/sign-in", signInRoutes);
app.route("/open", openRoutes);
app.route("/.well-known", wellKnownRoutes);
app.route("/api/auth", authRoutes);
app.route("/api/dashboard", calendarRoutes);

// Routes that require authentication.
app.use("/api/*", guard, withholdUnread, sendEvents);
app.route("/api/activity", activityRoutes);
app.route("/api/api-keys", apiKeyRoutes);
app.route("/api/billing", billingRoutes);
app.route("/api/changes", changeRoutes);
app.route("/api/connections", connectionRoutes);
app.route("/api/dashboard", dashboardRoutes);
app.route("/api/documents", documentRoutes);
app.route("/api/export", exportRoutes);
app.route("/api/folders", folderRoutes);
app.route("/api/import", importRoutes);
app.route("/api/memories", memoryRoutes);
app.route("/api/projects", projectRoutes);
app.route("/api/push", pushRoutes);
app.route("/api/reminders", reminderRoutes);
app.route("/api/search", searchRoutes);
app.route("/api/tags", tagRoutes);
app.route("/api/trash", trashRoutes);
app.route("/api/webhooks", webhookRoutes);
