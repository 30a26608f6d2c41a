import {
  getOAuthApi,
  OAuthError,
  type OAuthHelpers,
  OAuthProvider,
  type OAuthProviderOptions,
  type OAuthResourceAuth,
  type TokenExchangeCallbackOptions,
} from "@cloudflare/workers-oauth-provider";
import { ACCESS_SCOPES } from "../../contract/access.ts";
import { FIRST_SHARD } from "../../contract/shard.ts";
import type { Env } from "../../env.ts";
import { type Credential, findOwnerNumber, isConnectionValid } from "../../features/auth/caller-store.ts";
import { readCredential } from "../../features/auth/guard.ts";
import { withRetryingKv } from "../../platform/bindings/kv.ts";
import { AppError } from "../../platform/core/errors.ts";
import { createRecentMap } from "../../platform/core/recent-map.ts";
import { guardOutbound } from "../../platform/http/outbound.ts";
import { findCurrentLocation, openShard } from "../../platform/shards/router.ts";
import { isAllowedRedirect } from "./redirect.ts";

const DAY = 86_400;

/** The scopes of a grant. Clients request `offline_access` to reconnect without the user. */
export const OAUTH_SCOPES = [...ACCESS_SCOPES, "offline_access"];

/** `home` is the account's shard, `epoch` its sign-in epoch at consent. Older grants lack `home` (the first) and `owner`. */
export type GrantProps = {
  user_id: string;
  home?: number;
  owner?: number;
  epoch: number;
  client_name: string;
};

export type ResourceContext = ExecutionContext & { props?: unknown; auth?: OAuthResourceAuth };
export type ResourceHandler = (
  request: Request,
  env: Env,
  context: ResourceContext,
) => Response | Promise<Response>;

guardOutbound();

/** Rejects a client without an allowed redirect URI. It may also register others, to which no code is sent. */
function refuseRedirects(uris: unknown) {
  if (Array.isArray(uris) && uris.some(isAllowedRedirect)) return undefined;
  const description = "A redirect URI must use https, http on a loopback host, or the scheme of an app";
  return { code: "invalid_redirect_uri", description };
}

/** The client has to be connected again. The library then revokes the grant. */
const connectionEnded = () =>
  new OAuthError("invalid_grant", { description: "The connection has ended: connect again" });

/** Updates a grant of an older version, or of a migrated account. Throws for a grant without an account. */
async function updateGrant({ props: stored, env }: TokenExchangeCallbackOptions<Env>) {
  const grant = stored as GrantProps;
  const home = grant.home ?? FIRST_SHARD;
  const owner = grant.owner ?? (await findOwnerNumber(openShard(env, home), grant.user_id));
  if (owner === undefined) throw connectionEnded();
  const current = await findCurrentLocation(env, { shard: home, owner });
  const { user_id, epoch } = grant;
  const props = { owner: current.owner, user_id, epoch };
  if (!(await isConnectionValid(openShard(env, current.shard), props))) throw connectionEnded();
  const isCurrent = owner === grant.owner && current.shard === home;
  return isCurrent ? undefined : { newProps: { ...grant, home: current.shard, owner: current.owner } };
}

export type LegacyProps = { credential: Credential };

/** /mcp also accepts access tokens of the API and API keys. The call itself checks whether they are valid. */
async function resolveLegacyToken(env: Env, token: string, mcpUrl: string) {
  const credential = await readCredential(env, openShard(env, FIRST_SHARD), token, []).catch(
    (problem: unknown) => {
      if (problem instanceof AppError && problem.status === 401) return null;
      throw problem;
    },
  );
  return credential && { props: { credential } satisfies LegacyProps, audience: mcpUrl };
}

const notFoundHandler = () => new Response(null, { status: 404 });

/** The OAuth 2.1 server and MCP endpoint of one URL. Every token is bound to `mcpUrl`, compared exactly. */
const optionsOf = (mcpUrl: string, serve: ResourceHandler): OAuthProviderOptions<Env> => {
  const { origin } = new URL(mcpUrl);
  return {
    apiRoute: "/mcp",
    apiHandler: { fetch: serve },
    defaultHandler: { fetch: notFoundHandler },
    authorizeEndpoint: `${origin}/authorize`,
    tokenEndpoint: `${origin}/oauth/token`,
    clientRegistrationEndpoint: `${origin}/oauth/register`,
    scopesSupported: OAUTH_SCOPES,
    resourceMetadata: {
      resource: mcpUrl,
      authorization_servers: [origin],
      resource_name: "Commonplace",
    },
    // Long-lived, because many clients fail to refresh. A connection ends when it has been idle for 30 days.
    accessTokenTTL: DAY,
    refreshTokenTTL: 30 * DAY,
    refreshTokenIdleTTL: 30 * DAY,
    clientIdMetadataDocumentEnabled: true,
    // redirect.ts decides which private-use schemes are allowed; the library rejects only a few.
    allowPrivateUseRedirectUris: true,
    clientRegistrationCallback: ({ clientMetadata }) => refuseRedirects(clientMetadata.redirect_uris),
    tokenExchangeCallback: updateGrant,
    resolveExternalToken: ({ token, env }) => resolveLegacyToken(env, token, mcpUrl),
    onError: ({ status, code, internal }) => {
      if (status >= 500) console.error(JSON.stringify({ oauth: code, ...internal, detail: undefined }));
    },
  };
};

type Options = { env: Env; context: ExecutionContext };

/** Providers are cached: creating one takes as long as answering a short request. */
const MAX_PROVIDERS = 20;
const providers = createRecentMap<string, OAuthProvider<Env>>(MAX_PROVIDERS);

function providerOf(mcpUrl: string, serve: ResourceHandler): OAuthProvider<Env> {
  const key = `${serve === notFoundHandler ? "" : "mcp"} ${mcpUrl}`;
  const provider = providers.get(key) ?? new OAuthProvider<Env>(optionsOf(mcpUrl, serve));
  providers.set(key, provider);
  return provider;
}

export const callProvider = (
  mcpUrl: string,
  request: Request,
  { env, context }: Options,
  serve: ResourceHandler = notFoundHandler,
): Promise<Response> => providerOf(mcpUrl, serve).fetch(request, withRetryingKv(env), context);

export const oauthHelpers = (env: Env, mcpUrl: string): OAuthHelpers =>
  getOAuthApi(optionsOf(mcpUrl, notFoundHandler), withRetryingKv(env));
