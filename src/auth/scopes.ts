import { type Access, readingOf } from "../contract/access.ts";

// The scopes that an API key needs for each operation. Access tokens need none: they may do everything.

const BOTH_READ: Access[] = ["docs:read", "memory:read"];
const BOTH_WRITE: Access[] = ["docs:write", "memory:write"];

/** The operations available to keys. All others (accounts, keys, connections, feeds) require a sign-in. */
const OPERATIONS: [needed: Access[], operations: string[]][] = [
  [[], ["GET /api/billing/status", "GET /api/billing/usage"]],
  [
    ["docs:read"],
    [
      "GET /api/documents",
      "GET /api/documents/{document_id}",
      "GET /api/documents/{document_id}/versions",
      "GET /api/documents/{document_id}/versions/{version}",
      "GET /api/folders",
      "GET /api/folders/{folder_id}",
      "GET /api/tags",
    ],
  ],
  [
    ["docs:write"],
    [
      "POST /api/documents",
      "POST /api/documents/bulk",
      "PUT /api/documents/{document_id}",
      "DELETE /api/documents/{document_id}",
      "POST /api/documents/{document_id}/restore",
      "POST /api/documents/{document_id}/edit",
      "POST /api/documents/{document_id}/versions/{version}/restore",
      "POST /api/folders",
      "PUT /api/folders/{folder_id}",
      "DELETE /api/folders/{folder_id}",
      "PUT /api/tags/{name}",
      "DELETE /api/tags/{name}",
    ],
  ],
  [
    ["memory:read"],
    [
      "GET /api/memories",
      "GET /api/projects",
      "GET /api/memories/{memory_id}",
      "GET /api/memories/{memory_id}/events",
      "GET /api/memories/{memory_id}/versions",
      "GET /api/memories/{memory_id}/versions/{version}",
      "GET /api/dashboard/commitments",
      "GET /api/dashboard/alerts",
      "GET /api/dashboard/commitment-history",
      "GET /api/dashboard/summary",
    ],
  ],
  [
    ["memory:write"],
    [
      "POST /api/memories",
      "PUT /api/projects/{name}",
      "POST /api/memories/bulk",
      "PATCH /api/memories/{memory_id}",
      "DELETE /api/memories/{memory_id}",
      "POST /api/memories/{memory_id}/restore",
      "POST /api/memories/{memory_id}/resolve",
      "POST /api/memories/{memory_id}/defer",
      "POST /api/memories/{memory_id}/archive",
      "POST /api/memories/{memory_id}/reopen",
      "POST /api/memories/{memory_id}/confirm",
      "POST /api/memories/{memory_id}/supersede",
      "POST /api/memories/{memory_id}/versions/{version}/restore",
    ],
  ],
  [
    BOTH_READ,
    [
      "GET /api/activity",
      "GET /api/changes",
      "GET /api/export",
      "GET /api/import",
      "GET /api/import/{import_id}",
      "GET /api/search/suggest",
    ],
  ],
  [
    BOTH_WRITE,
    [
      "POST /api/activity/undo",
      "POST /api/import",
      "POST /api/import/{import_id}",
      "DELETE /api/import/{import_id}",
    ],
  ],
];

/** The operations whose `type` parameter says what they concern, and what each needs if it concerns both. */
const BY_TYPE: Record<string, Access[]> = {
  "GET /api/search": BOTH_READ,
  "GET /api/trash": BOTH_READ,
  "DELETE /api/trash": BOTH_WRITE,
};

/** Operations that no key may call, whatever its scopes. Each requires a sign-in. */
export const SIGN_IN_ONLY: readonly string[] = [
  "POST /api/auth/logout-all",
  "GET /api/auth/me",
  "PATCH /api/auth/me",
  "DELETE /api/auth/me",
  "POST /api/auth/password",
  "POST /api/auth/email",
  "POST /api/auth/email/verification",
  "GET /api/auth/events",
  "GET /api/auth/second-factor",
  "POST /api/auth/second-factor",
  "DELETE /api/auth/second-factor",
  "POST /api/auth/second-factor/confirm",
  "POST /api/auth/second-factor/recovery-codes",
  "POST /api/auth/passkeys/options",
  "POST /api/auth/passkeys",
  "GET /api/auth/passkeys",
  "PATCH /api/auth/passkeys/{passkey_id}",
  "DELETE /api/auth/passkeys/{passkey_id}",
  "GET /api/auth/sessions",
  "DELETE /api/auth/sessions/{session_id}",
  "POST /api/api-keys",
  "GET /api/api-keys",
  "DELETE /api/api-keys/{api_key_id}",
  "GET /api/connections",
  "DELETE /api/connections/{connection_id}",
  "POST /api/dashboard/calendar-token",
  "DELETE /api/dashboard/calendar-token",
  "GET /api/push",
  "POST /api/push",
  "DELETE /api/push/{subscription_id}",
  "GET /api/reminders",
  "PATCH /api/reminders",
  "POST /api/search/reindex",
  "POST /api/webhooks",
  "GET /api/webhooks",
  "GET /api/webhooks/{webhook_id}",
  "PATCH /api/webhooks/{webhook_id}",
  "DELETE /api/webhooks/{webhook_id}",
  "POST /api/webhooks/{webhook_id}/test",
  "POST /api/webhooks/{webhook_id}/secret",
  "GET /api/webhooks/{webhook_id}/deliveries",
  "POST /api/webhooks/{webhook_id}/deliveries/{delivery_id}/replay",
];

/** Every operation available to keys, with the path pattern of its route. */
export const KEY_OPERATIONS: readonly string[] = [
  ...Object.keys(BY_TYPE),
  ...OPERATIONS.flatMap(([, operations]) => operations),
];

const patternOf = (operation: string) => new RegExp(`^${operation.replace(/\{\w+\}/g, "[^/]+")}$`);

const PATTERNS = OPERATIONS.flatMap(([needed, operations]) =>
  operations.map((operation) => ({ needed, pattern: patternOf(operation) })),
);

const PREFIXES = new Map([
  ["documents", "docs:"],
  ["memories", "memory:"],
]);

/** Those of `both` that a request needs, given all of its `type` parameters. */
function neededByType(both: Access[], types: string[]): Access[] {
  const kinds = types.length === 0 ? ["documents"] : types;
  const prefix = kinds.every((kind) => kind === kinds[0]) && PREFIXES.get(kinds[0] ?? "");
  return prefix ? both.filter((access) => access.startsWith(prefix)) : both;
}

/** A request as the router sees it, with its path decoded. */
export type Asked = { method: string; path: string; types: string[] };

/** The scopes that a request needs; undefined when no key may make it, including all unlisted operations. */
export function neededScopes({ method, path, types }: Asked): readonly Access[] | undefined {
  const operation = `${method === "HEAD" ? "GET" : method} ${path}`;
  const both = Object.hasOwn(BY_TYPE, operation) && BY_TYPE[operation];
  if (both) return neededByType(both, types);
  return PATTERNS.find(({ pattern }) => pattern.test(operation))?.needed;
}

/** Answers that report the result of each operation without revealing the resources. */
const REPORTS = /^\/api\/(documents\/bulk|memories\/bulk|import(\/[^/]+)?)$/;

/** Whether the answer to a write may contain the resource: only for a caller who may read it. */
export function mayReadBack(asked: Asked, scopes: readonly Access[]): boolean {
  if (REPORTS.test(asked.path)) return true;
  return (neededScopes(asked) ?? []).every((needed) => scopes.includes(readingOf(needed)));
}
