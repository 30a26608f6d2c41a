import { grantsScope, KEY_SCOPES, type KeyScope } from "../../contract/access.ts";
import { neededScopes } from "../../platform/http/rules.ts";
import type { OpenApiOperation } from "./describe.ts";

export const SECURITY_SCHEMES = {
  bearer: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description:
      "The `access_token` that `POST /api/auth/login` returns, for everything that its user may do. It is valid for " +
      "15 minutes; `POST /api/auth/refresh` returns a new one.",
  },
  api_key: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "cpk_…",
    description:
      "An API key created with `POST /api/api-keys`, for a program, limited to its scopes. It is sent like an access " +
      "token and is valid until it is revoked or expires.",
  },
  cookieAuth: {
    type: "apiKey",
    in: "cookie",
    name: "__Host-commonplace",
    description:
      "The session of a browser, for pages of this service: allows the same as an access token, for 30 days after its last use. " +
      'Signing in with `session: "cookie"` sets it; over plain HTTP its name is `commonplace`. Every request except GET ' +
      "and HEAD needs the headers `Sec-Fetch-Site: same-origin` (or the service's own `Origin`) and " +
      "`X-Requested-With: commonplace`. A page that sends its account's id in `X-Account` gets a 401 if the cookie belongs to " +
      "another account. With an `Authorization` header, the cookie is ignored.",
  },
} as const;

function scopesAllowing(name: KeyScope): string {
  const scopes = KEY_SCOPES.filter((one) => grantsScope([one], name)).reverse();
  return scopes.map((one) => `\`${one}\``).join(" or ");
}

const scopesText = (names: readonly KeyScope[]) => names.map(scopesAllowing).join(" and ");

type Need = { when: string; scopes: readonly KeyScope[] };

/** The scopes that a key needs, by the value of `type` if that matters; undefined if no key may. */
function needsOf({ rules, parameters = [] }: OpenApiOperation): Need[] | undefined {
  const usual = neededScopes(rules?.access);
  if (!usual) return undefined;
  const needs = [{ when: "", scopes: usual }];
  const kinds =
    parameters.find(({ name, in: place }) => place === "query" && name === "type")?.schema.enum ?? [];
  for (const kind of kinds.map(String)) {
    const scopes = neededScopes(rules?.access, [kind]) ?? [];
    if (scopes.join() !== usual.join()) needs.push({ when: ` with \`type=${kind}\``, scopes });
  }
  return needs;
}

function explain(needs: Need[] | undefined): string {
  if (!needs) return "Not available to API keys: sign in.";
  if (needs[0]?.scopes.length === 0) return "Available to any API key.";
  return `An API key needs ${needs.map(({ when, scopes }) => `${scopesText(scopes)}${when}`).join("; ")}.`;
}

/** Documents who may call an operation, in its description and `x-required-scopes`: OpenAPI has scopes only for OAuth. */
export function describeAccess(operation: OpenApiOperation): void {
  const needs = needsOf(operation);
  const isOpen = operation.rules?.access === "anyone";
  delete operation.rules;
  if (isOpen) {
    operation.security = [];
    return;
  }
  operation.security = [{ bearer: [] }, ...(needs ? [{ api_key: [] }] : []), { cookieAuth: [] }];
  operation.description = [operation.description, explain(needs)].filter(Boolean).join("\n\n");
  if (needs?.[0]) operation["x-required-scopes"] = [...needs[0].scopes];
}
