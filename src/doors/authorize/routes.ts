import { AuthorizationError, type AuthRequest, CimdFetchError } from "@cloudflare/workers-oauth-provider";
import type { Context } from "hono";
import { planLimits } from "../../contract/plan-limits.ts";
import { quotaExceededText } from "../../contract/quota.ts";
import { exceededLimit } from "../../features/billing/remaining-quota.ts";
import { findPlanTier } from "../../features/billing/store.ts";
import { countConnections } from "../../features/connections/grants.ts";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { AppError, accountMigrating, badRequest, forbidden, notFound } from "../../platform/core/errors.ts";
import { visibleName } from "../../platform/http/client-program.ts";
import { createRouter } from "../../platform/http/openapi.ts";
import { takeAttempt } from "../../platform/rate-limit/limit.ts";
import { logSecurityEvent } from "../../platform/security-events/store.ts";
import { isMigrating } from "../../platform/shards/migration-store.ts";
import { mcpUrlFor, withPlainResources } from "../oauth/address.ts";
import { type GrantProps, oauthHelpers } from "../oauth/provider.ts";
import { appScheme, isAppScheme } from "../oauth/redirect.ts";
import { formSecret, readBrowserUser, requireOwnForms } from "../pages/browser.ts";
import { signInUrl } from "../pages/destination.ts";
import { answerPage } from "../pages/layout.tsx";
import { answerErrorPage } from "../pages/problems.tsx";
import { ConsentPage } from "./pages.tsx";
import { REGISTERED_CLIENT_ID } from "./requester.ts";
import { formTarget, grantedScopes } from "./scopes.ts";

// The OAuth library validates the request, stores it between the two steps, and binds it to the browser.

function helpersOf(c: Context<AppEnv>) {
  const mcpUrl = mcpUrlFor(c.env.MCP_URL, new URL(c.req.url));
  if (!mcpUrl) throw notFound();
  return oauthHelpers(c.env, mcpUrl);
}

const parseRequest = (c: Context<AppEnv>): Promise<AuthRequest> =>
  helpersOf(c).parseAuthRequest(new Request(withPlainResources(c.req.url), { headers: c.req.raw.headers }));

const searchOf = (c: Context<AppEnv>) => new URL(c.req.url).search;

/** A form without a signed-in user comes from a page that had one, so the session has expired. */
const toSignIn = (c: Context<AppEnv>) =>
  c.redirect(signInUrl(`/authorize${searchOf(c)}`, c.req.method === "POST"), 303);

export const authorizeRoutes = createRouter();

/** The registration may have expired or belong to another service. Only the app can register again. */
const UNKNOWN_CLIENT =
  "Commonplace doesn’t recognize the app that sent you here. In the app, remove the connection to Commonplace and add it " +
  "again.";

async function isUnknown(c: Context<AppEnv>): Promise<boolean> {
  const id = c.req.query("client_id") ?? "";
  return REGISTERED_CLIENT_ID.test(id) && (await helpersOf(c).lookupClient(id)) === null;
}

/** What a person can do about a request that the app has to send again; undefined for any other error. */
async function explainError(
  error: Error,
  c: Context<AppEnv>,
): Promise<{ heading: string; why: string } | undefined> {
  if (error instanceof AuthorizationError && (await isUnknown(c)))
    return { heading: "Add the connection again", why: UNKNOWN_CLIENT };
  const heading = "Start again from the app";
  if (error instanceof CimdFetchError)
    return { heading, why: "The app that sent you here can’t be verified. Start again from the app." };
  if (error instanceof AuthorizationError)
    return { heading, why: `${error.description}. Start again from the app that sent you here.` };
  return undefined;
}

/** Redirects errors only after the sign-in. Otherwise any client could redirect strangers (RFC 9700, 4.11.2). */
authorizeRoutes.onError(async (error, c) => {
  if (!(error instanceof AuthorizationError) || !error.redirectTo) {
    const explanation = await explainError(error, c);
    if (explanation) return answerErrorPage(badRequest(explanation.why), c, explanation);
    const isOurs = error instanceof AppError && error.status !== 404;
    const again = { href: `/authorize${searchOf(c)}`, text: "Start again" };
    return answerErrorPage(error, c, { onward: isOurs ? again : undefined });
  }
  return (await readBrowserUser(c)) ? c.redirect(error.redirectTo, 302) : toSignIn(c);
});
authorizeRoutes.use(requireOwnForms);

/** Rejects an invalid redirect URI before anything else, because not even errors may be sent there. */
function checkRedirect(c: Context<AppEnv>): void {
  const uri = new URL(c.req.url).searchParams.get("redirect_uri");
  const scheme = uri === null ? undefined : appScheme(uri);
  if (scheme === undefined || isAppScheme(scheme)) return;
  throw new AuthorizationError("invalid_request", { description: "Invalid redirect URI" });
}

/** Whether the client id is a URL, whose metadata the service would fetch. */
const namesAddress = (c: Context<AppEnv>) =>
  (c.req.queries("client_id") ?? []).some((id) => /^\s*https:/i.test(id));

authorizeRoutes.get("/", async (c) => {
  checkRedirect(c);
  const oauth = helpersOf(c);
  const user = await readBrowserUser(c);
  if (namesAddress(c)) {
    // Only signed-in people can cause a fetch, at a limited rate.
    if (!user) return toSignIn(c);
    await takeAttempt(c.env, "RATE_LIMIT_CLIENT_METADATA", user.id);
  }
  const request = await parseRequest(c);
  const details = await oauth.describeConsent(request);
  if (!user) return toSignIn(c);
  await requireConnectionQuota(c, user, request.clientId);
  const { handle, headers } = await oauth.beginConsent(request);
  for (const cookie of headers.getSetCookie()) c.header("Set-Cookie", cookie, { append: true });
  const page = ConsentPage({ details, handle, form: formSecret(c), account: user, search: searchOf(c) });
  return answerPage(c, page, { formTarget: formTarget(request.redirectUri) });
});

/** Shows the page again if no permission was chosen. The request remains stored for the next decision. */
async function askAgain(c: Context<AppEnv>, account: { id: string; email: string }, handle: string) {
  const oauth = helpersOf(c);
  if (namesAddress(c)) await takeAttempt(c.env, "RATE_LIMIT_CLIENT_METADATA", account.id);
  const request = await parseRequest(c);
  const details = await oauth.describeConsent(request);
  const alert = "Choose at least one permission, or deny access";
  const page = ConsentPage({ details, handle, form: formSecret(c), account, search: searchOf(c), alert });
  return answerPage(c, page, { status: 400, formTarget: formTarget(request.redirectUri) });
}

/** Throws 403 if the user's plan allows no more connections. A connection of the same client replaces its previous one. */
async function requireConnectionQuota(
  c: Context<AppEnv>,
  { id, number }: Pick<SignedIn, "id" | "number">,
  clientId: string,
): Promise<void> {
  const plan = await findPlanTier(c.var.base, number);
  const limits = planLimits(c.env.PLAN_LIMITS)[plan];
  if (limits.connections === undefined) return;
  const connections = await countConnections(c.env, id, clientId);
  const full = exceededLimit(
    { plan, limits, isSold: Boolean(c.env.STRIPE_SECRET_KEY) },
    { connections },
    { connections: 1 },
  );
  if (full) throw forbidden(quotaExceededText(full));
}

type SignedIn = { id: string; number: number; epoch: number };

async function readDecision(c: Context<AppEnv>) {
  const { handle, decision, scope, account } = await c.req.parseBody({ all: true });
  const ticked = [scope ?? []].flat().map(String);
  return { handle: String(handle), allow: decision === "allow", ticked, account: String(account) };
}

async function grant(
  c: Context<AppEnv>,
  request: AuthRequest,
  { id, number, epoch }: SignedIn,
): Promise<string> {
  const oauth = helpersOf(c);
  await requireConnectionQuota(c, { id, number }, request.clientId);
  const { clientName, clientDomain, redirectHost } = await oauth.describeConsent(request);
  const client_name = visibleName(clientName);
  await logSecurityEvent({ ...c.var.base, owner: number }, "connection_made", client_name);
  const { redirectTo } = await oauth.completeAuthorization({
    request,
    userId: id,
    scope: request.scope,
    metadata: {
      client_name,
      client_domain: clientDomain,
      redirect_host: appScheme(request.redirectUri) ?? redirectHost,
    },
    props: { user_id: id, home: c.var.base.shard, owner: number, epoch, client_name } satisfies GrantProps,
  });
  return redirectTo;
}

authorizeRoutes.post("/", async (c) => {
  const oauth = helpersOf(c);
  const user = await readBrowserUser(c);
  if (!user) return toSignIn(c);
  const { handle, allow, ticked, account } = await readDecision(c);
  if (account !== user.id) throw forbidden("You are now signed in to another account");
  if (!allow) {
    const { headers } = await oauth.denyConsent(c.req.raw, handle);
    return new Response(null, { status: 302, headers });
  }
  const requested = new URL(c.req.url).searchParams.get("scope")?.split(" ") ?? [];
  const scope = grantedScopes(ticked, requested);
  if (scope.length === 0) return askAgain(c, user, handle);
  // Before the decision is consumed, so that it can be sent again after the account's migration to another shard.
  if (await isMigrating(c.var.base, user.number)) throw accountMigrating();
  const approved = await oauth.approveConsent(c.req.raw, handle, { scope });
  approved.headers.set("Location", await grant(c, approved.request, user));
  return new Response(null, { status: 302, headers: approved.headers });
});
