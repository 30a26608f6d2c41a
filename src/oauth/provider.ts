import {
  getOAuthApi,
  type OAuthHelpers,
  OAuthProvider,
  type OAuthProviderOptions,
  type OAuthResourceAuth,
  type TokenExchangeCallbackOptions,
} from "@cloudflare/workers-oauth-provider";
import { findOwner } from "../auth/caller-store.ts";
import { ACCESSES } from "../core/access.ts";
import { openBase } from "../db/session.ts";
import type { Env } from "../env.ts";
import { resolveLegacyToken } from "./legacy-token.ts";
import { guardOutbound } from "./outbound.ts";
import { isAllowedRedirect } from "./redirect.ts";

const DAY = 86_400;

/** What a grant may cover. `offline_access` is what clients ask for that want to be let in again without the user. */
export const SCOPES = [...ACCESSES, "offline_access"];

/**
 * What a grant keeps of its user and client. `epoch` is the account's when access was given; grants of an older version
 * name no `owner` until their token is refreshed.
 */
export type GrantProps = { user_id: string; owner?: number; epoch: number; client_name: string };

/** A protected handler's context: who was let in, and with what. */
export type ResourceContext = ExecutionContext & { props?: unknown; auth?: OAuthResourceAuth };
export type ResourceHandler = (
  request: Request,
  env: Env,
  context: ResourceContext,
) => Response | Promise<Response>;

guardOutbound();

/** A client may name addresses that no code is sent to, beside one that is good. */
function refuseRedirects(uris: unknown) {
  if (Array.isArray(uris) && uris.some(isAllowedRedirect)) return undefined;
  const description =
    "Redirect URI must use https, http on a loopback host, or the scheme of an app with a dot in it";
  return { code: "invalid_redirect_uri", description };
}

/** Gives a grant of an older version its user's number. */
async function nameOwner({ props, env }: TokenExchangeCallbackOptions<Env>) {
  const grant = props as GrantProps;
  const owner = grant.owner ?? (await findOwner(openBase(env.DB), grant.user_id));
  return owner === grant.owner ? undefined : { newProps: { ...grant, owner } };
}

const nothingHere = () => new Response(null, { status: 404 });

/**
 * The OAuth 2.1 server and the protected MCP endpoint of one public address.
 *
 * @param mcpUrl the resource that every token is bound to, compared exactly
 */
const optionsOf = (mcpUrl: string, serve: ResourceHandler): OAuthProviderOptions<Env> => {
  const { origin } = new URL(mcpUrl);
  return {
    apiRoute: "/mcp",
    apiHandler: { fetch: serve },
    defaultHandler: { fetch: nothingHere },
    authorizeEndpoint: `${origin}/authorize`,
    tokenEndpoint: `${origin}/oauth/token`,
    clientRegistrationEndpoint: `${origin}/oauth/register`,
    scopesSupported: SCOPES,
    resourceMetadata: {
      resource: mcpUrl,
      authorization_servers: [origin],
      resource_name: "Commonplace",
    },
    // Clients refresh badly; a connection that is used stays, and one that is idle for 30 days ends.
    accessTokenTTL: DAY,
    refreshTokenTTL: 30 * DAY,
    refreshTokenIdleTTL: 30 * DAY,
    clientIdMetadataDocumentEnabled: true,
    // Which private-use schemes is for redirect.ts to say; the library refuses only the worst.
    allowPrivateUseRedirectUris: true,
    clientRegistrationCallback: ({ clientMetadata }) => refuseRedirects(clientMetadata.redirect_uris),
    tokenExchangeCallback: nameOwner,
    resolveExternalToken: ({ token, env }) => resolveLegacyToken(env, token, mcpUrl),
    onError: ({ status, code, internal }) => {
      if (status >= 500) console.error(JSON.stringify({ oauth: code, ...internal, detail: undefined }));
    },
  };
};

/** Answers what belongs to the protocol: metadata, tokens, registration, and /mcp behind a valid token. */
export const oauthProvider = (mcpUrl: string, serve: ResourceHandler = nothingHere) =>
  new OAuthProvider<Env>(optionsOf(mcpUrl, serve));

/** What the consent page and the list of connections need. */
export const oauthHelpers = (env: Env, mcpUrl: string): OAuthHelpers =>
  getOAuthApi(optionsOf(mcpUrl, nothingHere), env);
