/** A small fault in the product that the tests have to find. */
export type Mutation = {
  /** What the fault breaks. */
  breaks: string;
  path: string;
  /** Occurs once in the file. */
  from: string;
  to: string;
  /** Other tests that are likely to find it than those of the same feature or district. */
  tests?: readonly string[];
};

export const MUTATIONS: readonly Mutation[] = [
  // Other accounts
  {
    breaks: "a record is read by another account",
    path: "src/features/memories/row-store.ts",
    from: "and(eq(memories.id, id), eq(memories.owner, ctx.owner))",
    to: "and(eq(memories.id, id))",
    tests: ["test/house/rules.test.ts"],
  },
  {
    breaks: "a folder of another account is used",
    path: "src/features/documents/statement-store.ts",
    from: "SELECT 1 FROM folders WHERE id = ${folderId} AND owner = ${ctx.owner}",
    to: "SELECT 1 FROM folders WHERE id = ${folderId} AND ${ctx.owner} > 0",
    tests: ["test/house/other-accounts.test.ts", "test/features/folders"],
  },
  {
    breaks: "a document of another account is linked to a record",
    path: "src/features/memories/row-store.ts",
    from: "WHERE id = ${id} AND owner = ${ctx.owner} AND trashed_at IS NULL)`,",
    to: "WHERE id = ${id} AND ${ctx.owner} > 0 AND trashed_at IS NULL)`,",
  },
  {
    breaks: "a file of another account is attached",
    path: "src/features/files/link-store.ts",
    from: "SELECT 1 FROM files WHERE id = ${id} AND owner = ${ctx.owner} AND trashed_at IS NULL",
    to: "SELECT 1 FROM files WHERE id = ${id} AND ${ctx.owner} > 0 AND trashed_at IS NULL",
    tests: ["test/house/other-accounts.test.ts"],
  },
  {
    breaks: "another account's activity is undone",
    path: "src/features/activity/undo-store.ts",
    from: "FROM activity WHERE owner = ${ctx.owner} AND verb NOT IN ('erased', 'linked')",
    to: "FROM activity WHERE ${ctx.owner} > 0 AND verb NOT IN ('erased', 'linked')",
  },
  {
    breaks: "another account's titles are suggested",
    path: "src/features/search/suggest-store.ts",
    from: "FROM documents WHERE trashed_at IS NULL AND owner = ?",
    to: "FROM documents WHERE trashed_at IS NULL AND ? > 0",
  },
  {
    breaks: "another account's session is ended",
    path: "src/features/auth/session-store.ts",
    from: "sessions.id = ${sessionId} AND sessions.owner = ${ctx.owner} AND sessions.revoked_at IS NULL",
    to: "sessions.id = ${sessionId} AND ${ctx.owner} > 0 AND sessions.revoked_at IS NULL",
    tests: ["test/house/rules.test.ts"],
  },
  {
    breaks: "another account's passkey is removed",
    path: "src/features/auth/passkeys/store.ts",
    from: "FROM passkeys WHERE id = ${id} AND owner = ${ctx.owner}`;",
    to: "FROM passkeys WHERE id = ${id} AND ${ctx.owner} > 0`;",
  },
  // Signing in
  {
    breaks: "a revoked session's refresh token works",
    path: "src/features/auth/session-store.ts",
    from: "WHERE t.hash = ${hash} AND s.revoked_at IS NULL AND u.closed_at IS NULL",
    to: "WHERE t.hash = ${hash} AND u.closed_at IS NULL",
  },
  {
    breaks: "a refresh token can be reused for days",
    path: "src/features/auth/session-store.ts",
    from: "const GRACE_MS = 30_000;",
    to: "const GRACE_MS = 300_000_000;",
  },
  {
    breaks: "an access token of another audience is accepted",
    path: "src/features/auth/token.ts",
    from: '{ algorithms: ["HS256"], audience, typ, requiredClaims,',
    to: '{ algorithms: ["HS256"], typ, requiredClaims,',
  },
  {
    breaks: "a code of the second factor works twice",
    path: "src/features/auth/second-factor/store.ts",
    from: "AND secret = ${sealed} AND last_step < ${step} RETURNING owner",
    to: "AND secret = ${sealed} AND last_step <= ${step} RETURNING owner",
  },
  {
    breaks: "a recovery code works twice",
    path: "src/features/auth/second-factor/store.ts",
    from: "DELETE FROM recovery_codes\n    WHERE owner = ${ctx.owner} AND hash = ${await hashSecret(plain)} RETURNING 1",
    to: "SELECT 1 FROM recovery_codes\n    WHERE owner = ${ctx.owner} AND hash = ${await hashSecret(plain)}",
  },
  {
    breaks: "the challenge of a passkey works twice",
    path: "src/features/auth/passkeys/store.ts",
    from: "DELETE FROM passkey_challenges\n    WHERE hash = ${await hashSecret(challenge)} AND expires_at > ${ctx.now.toISOString()} AND ${ownerCondition} RETURNING 1",
    to: "SELECT 1 FROM passkey_challenges\n    WHERE hash = ${await hashSecret(challenge)} AND expires_at > ${ctx.now.toISOString()} AND ${ownerCondition}",
  },
  {
    breaks: "one attempt more than allowed",
    path: "src/platform/rate-limit/rate-limiter.ts",
    from: "const oldest = hits[hits.length - attempts];",
    to: "const oldest = hits[hits.length - attempts - 1];",
    tests: ["test/features/auth"],
  },
  {
    breaks: "a page of another site changes data with the session's cookie",
    path: "src/features/auth/guard.ts",
    from: "if (!READ_METHODS.includes(c.req.method)) requireOwnPage(c);",
    to: "",
    tests: ["test/web"],
  },
  {
    breaks: "a key without a scope is let through",
    path: "src/contract/access.ts",
    from: "scopes.includes(needed) || (needed",
    to: "scopes.length > 0 || (needed",
    tests: ["test/house/scopes.test.ts"],
  },
  {
    breaks: "an authorization code works twice",
    path: "src/doors/oauth/authorization-code-exchange.ts",
    from: "if (kv.get(TRADED)) {",
    to: "if (kv.get(TRADED) && isParallel) {",
  },
  {
    breaks: "consent is given by another account than the page showed",
    path: "src/doors/authorize/routes.ts",
    from: 'if (account !== user.id) throw forbidden("You are now signed in to another account");',
    to: "",
  },
  {
    breaks: "authorization codes are sent to schemes of browsers and systems",
    path: "src/doors/oauth/redirect.ts",
    from: "return isName && !NOT_APPS.has(name) && !FAMILIES.test(name) && !LIKE_WEB.test(name);",
    to: "return isName && !FAMILIES.test(name) && !LIKE_WEB.test(name);",
  },
  // Writes
  {
    breaks: "a change of an old version overwrites a newer one",
    path: "src/platform/http/etag.ts",
    from: 'header === undefined || parseTags(header).some((tag) => tag === "*" || tag === etagOf(version));',
    to: 'header === undefined || parseTags(header).some((tag) => tag === "*" || tag.startsWith(etagOf(version).slice(0, 2)));',
    tests: ["test/features/documents", "test/features/memories"],
  },
  {
    breaks: "a repeated request with another body gets the first answer",
    path: "src/platform/idempotency/store.ts",
    from: "if (stored && stored.request_hash !== once.requestHash) {",
    to: "if (stored && stored.request_hash === undefined) {",
    tests: ["test/features/memories"],
  },
  {
    breaks: "a quota is exceeded by one",
    path: "src/features/billing/quota-store.ts",
    from: "m.used + m.more > l.value LIMIT 1",
    to: "m.used + m.more > l.value + 1 LIMIT 1",
  },
  {
    breaks: "an undo does not notice later changes",
    path: "src/platform/activity/store.ts",
    from: "WHERE a.undone_by IS NULL AND (a.undoes IS NULL OR a.undoes <= ${number})",
    to: "WHERE a.undone_by IS NULL AND a.undoes <= ${number}",
    tests: ["test/features/activity"],
  },
  {
    breaks: "a resolved record can be deferred",
    path: "src/contract/life-cycle.ts",
    from: 'resolved: { resolve: "resolved", reopen: "active" },',
    to: 'resolved: { resolve: "resolved", reopen: "active", defer: "deferred" },',
    tests: ["test/features/memories"],
  },
  {
    breaks: "a record is deferred until today",
    path: "src/features/memories/action-store.ts",
    from: "if (day && day <= today) {",
    to: "if (day && day < today) {",
  },
  {
    breaks: "ids of erased records are reused",
    path: "src/features/memories/store.ts",
    from: "(SELECT last_memory_id FROM users WHERE number = ${ctx.owner}),",
    to: "(SELECT 0 FROM users WHERE number = ${ctx.owner}),",
  },
  {
    breaks: "a document in the trash is listed",
    path: "src/features/documents/list-store.ts",
    from: "const where = and(notTrashed(ctx), ...listFilters(ctx, query));",
    to: "const where = and(eq(documents.owner, ctx.owner), ...listFilters(ctx, query));",
  },
  {
    breaks: "filing a record counts as attention",
    path: "src/features/memories/update-store.ts",
    from: 'const ATTENDED_FIELDS = ["topic", "content", "due_date", "due_time"] as const;',
    to: 'const ATTENDED_FIELDS = ["topic", "content", "due_date", "due_time", "project"] as const;',
    tests: ["test/features/dashboard"],
  },
  // Lists and days
  {
    breaks: "the last row of a page has no cursor",
    path: "src/platform/db/keyset.ts",
    from: "if (read.rows.length <= limit || !last) return { rows };",
    to: "if (read.rows.length <= limit + 1 || !last) return { rows };",
    tests: ["test/features/documents", "test/features/memories"],
  },
  {
    breaks: "rows with the same sort value are left out of the next page",
    path: "src/platform/db/keyset.ts",
    from: "const after = sql`(${key}, ${id}) ${compare} (${lastKey}, ${lastId})`;",
    to: "const after = sql`(${key}) ${compare} (${lastKey}) AND ${lastId} IS NOT NULL AND ${id} IS NOT NULL`;",
    tests: ["test/house/cursors.test.ts", "test/features/documents", "test/features/memories"],
  },
  {
    breaks: "documents changed at the end of a range are listed",
    path: "src/features/documents/list-store.ts",
    from: "query.changed_before && lt(documents.changed_at, query.changed_before),",
    to: "query.changed_before && sql`${documents.changed_at} <= ${query.changed_before}`,",
  },
  {
    breaks: "due in a week does not include the seventh day",
    path: "src/features/memories/alert-store.ts",
    from: "export const DUE_SOON_DAYS = 7;",
    to: "export const DUE_SOON_DAYS = 6;",
    tests: ["test/features/dashboard"],
  },
  {
    breaks: "a record due today is overdue",
    path: "src/shared/query/due.ts",
    from: "(due_time === null ? due_date < today",
    to: "(due_time === null ? due_date <= today",
    tests: ["test/features/search", "web/test"],
  },
  {
    breaks: "a deferred record wakes too early",
    path: "src/contract/life-cycle.ts",
    from: "${table}.touched_at <= ${now})`;",
    to: "date(${table}.touched_at) <= ${now})`;",
    tests: ["test/features/memories", "test/features/dashboard"],
  },
  {
    breaks: "the last weekday of a month is missed by a repetition",
    path: "src/contract/repeat/occurrences.ts",
    from: "const week = nth > 0 ? nth - 1 : all + nth;",
    to: "const week = nth > 0 ? nth - 1 : all + nth - 1;",
  },
  {
    breaks: "a reminder repeats at night",
    path: "src/contract/next-reminder.ts",
    from: "const [FIRST_HOUR, LAST_HOUR] = [8, 22];",
    to: "const [FIRST_HOUR, LAST_HOUR] = [0, 24];",
    tests: ["test/features/memories/plans.test.ts", "test/features/reminders"],
  },
  {
    breaks: "a reminder is sent twice after a change of the time zone",
    path: "src/contract/next-reminder.ts",
    from: "return instant >= remind_at;",
    to: "return instant >= remind_at || instant !== '';",
    tests: ["test/features/reminders", "test/features/memories"],
  },
  // Search
  {
    breaks: "a title counts as little as a text",
    path: "src/engine/score.ts",
    from: "b: 0.6, title: 2, near: 0.25",
    to: "b: 0.6, title: 1, near: 0.25",
    tests: ["test/features/search"],
  },
  {
    breaks: "two tags find records with either",
    path: "src/features/search/condition.ts",
    from: "HAVING count(DISTINCT w.key) = ${new Set(tags.map(nameKey)).size}`;",
    to: "HAVING count(DISTINCT w.key) > 0`;",
  },
  {
    breaks: "a search finds files in the trash",
    path: "src/features/search/store.ts",
    from: "AND f.id = substr(e.record, 1, 36) AND f.trashed_at IS NULL",
    to: "AND f.id = substr(e.record, 1, 36)",
    tests: ["test/features/file-text", "test/features/files"],
  },
  {
    breaks: "ß is not found by ss",
    path: "src/shared/text/fold.ts",
    from: 'ß: "ss",',
    to: 'ß: "s",',
    tests: ["test/features/search"],
  },
  // What others see
  {
    breaks: "an uploaded page runs as one of this service",
    path: "src/features/files/serve.ts",
    from: "`${BASE_POLICY}; sandbox; img-src 'self'",
    to: "`${BASE_POLICY}; img-src 'self'",
  },
  {
    breaks: "a range of a file is a byte too long",
    path: "src/features/files/serve.ts",
    from: "first.end - first.start + 1, more)",
    to: "first.end - first.start, more)",
  },
  {
    breaks: "a webhook reaches the private network",
    path: "src/shared/public-host.ts",
    from: 'return address.range() === "unicast" && !isCompatible(address);',
    to: 'return address.range() !== "loopback" && !isCompatible(address);',
    tests: ["test/features/webhooks", "test/platform"],
  },
  {
    breaks: "a replaced secret of a webhook never expires",
    path: "src/features/webhooks/delivery-store.ts",
    from: 'const overlaps = previous_secret !== null && (previous_until ?? "") > ctx.now.toISOString();',
    to: "const overlaps = previous_secret !== null;",
  },
  {
    breaks: "a redirect of a webhook's receiver counts as delivered",
    path: "src/features/webhooks/attempt.ts",
    from: "if (status >= 200 && status < 300) return",
    to: "if (status >= 200 && status < 400) return",
  },
  // The app
  {
    breaks: "a merge loses the other side's line",
    path: "src/shared/text/merge.ts",
    from: 'if (base.length === 0) return [[...theirs, ...mine].join("\\n")];',
    to: 'if (base.length === 0) return [mine.join("\\n")];',
  },
  {
    breaks: "a ticked task changes its neighbour",
    path: "src/shared/markdown/tasks.ts",
    from: "mark: start + 1,",
    to: "mark: start,",
    tests: ["test/features/documents"],
  },
  {
    breaks: "data of an erased account stays in the browser",
    path: "web/src/state/account-storage.ts",
    from: "if (isAccountErased()) await del(key, store);",
    to: "",
  },
];
