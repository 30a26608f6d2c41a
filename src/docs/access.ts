import { neededScopes } from "../auth/scopes.ts";
import type { Access } from "../core/access.ts";
import type { Operation } from "./describe.ts";

// Which credentials an operation takes. What a key needs is asked of the rule that guards the routes.

/** The ways to send `Authorization: Bearer`. */
export const SECURITY_SCHEMES = {
  bearer: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description:
      "The `access_token` that `POST /api/auth/login` answers, for everything that its user may do. It is valid for " +
      "15 minutes; `POST /api/auth/refresh` gives the next one.",
  },
  api_key: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "cpk_…",
    description:
      "An API key of `POST /api/api-keys`, for a program, within the scopes that it was given. It is sent like an " +
      "access token and is valid until it is revoked or expires.",
  },
} as const;

const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(" and ");

type Need = { when: string; scopes: readonly Access[] };

/** What a key needs, and what it needs instead where a parameter has a certain value. Undefined: no key may do it. */
function needsOf(method: string, path: string, { parameters = [] }: Operation): Need[] | undefined {
  const asked = { method, path: path.replace(/[{}]/g, ""), types: [] };
  const usual = neededScopes(asked);
  if (!usual) return undefined;
  const needs = [{ when: "", scopes: usual }];
  const kinds =
    parameters.find(({ name, in: place }) => place === "query" && name === "type")?.schema.enum ?? [];
  for (const kind of kinds.map(String)) {
    const scopes = neededScopes({ ...asked, types: [kind] }) ?? [];
    if (scopes.join() !== usual.join()) needs.push({ when: ` with \`type=${kind}\``, scopes });
  }
  return needs;
}

function explain(needs: Need[] | undefined): string {
  if (!needs) return "Not for API keys: sign in.";
  if (needs[0]?.scopes.length === 0) return "Any API key may do this.";
  return `An API key needs ${needs.map(({ when, scopes }) => `${code(scopes)}${when}`).join("; ")}.`;
}

/**
 * Says of an operation who may call it; a public one takes no credentials. The scopes stand in the description and in
 * `x-required-scopes`, since OpenAPI has a place for scopes only where the scheme is OAuth.
 */
export function describeAccess(method: string, path: string, operation: Operation): void {
  if (!operation.security) {
    operation.security = [];
    return;
  }
  const needs = needsOf(method, path, operation);
  operation.security = needs ? [{ bearer: [] }, { api_key: [] }] : [{ bearer: [] }];
  operation.description = [operation.description, explain(needs)].filter(Boolean).join("\n\n");
  if (needs?.[0]) operation["x-required-scopes"] = [...needs[0].scopes];
}
