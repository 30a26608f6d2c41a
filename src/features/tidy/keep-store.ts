import { sql } from "drizzle-orm";
import type { KeepRequest } from "../../contract/tidy.ts";
import { findingKey } from "../../contract/tidy-kinds.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { notFound } from "../../platform/core/errors.ts";
import { sendBatch } from "../../platform/db/call.ts";
import { assertQuotaLeft } from "../billing/quota-store.ts";
import { keepDecisionBytes } from "../billing/sizes.ts";
import type { KeptFinding } from "./kept-finding.ts";
import { readFoundFindings } from "./list-store.ts";

/** Keeps a finding. Does nothing if it is already kept. */
export const keepStatement = (ctx: Ctx, { kind, key, detail, kept_at }: KeptFinding) =>
  ctx.db.run(sql`INSERT INTO tidy_kept (owner, kind, key, detail, kept_at)
    VALUES (${ctx.owner}, ${kind}, ${key}, ${detail}, ${kept_at}) ON CONFLICT DO NOTHING`);

/** Keeps a finding as it is: it is not reported again while it concerns the same items. Throws 404 if it was not found. */
async function keepFinding(ctx: Ctx, { kind, items }: KeepRequest): Promise<void> {
  const requestedKeys = new Set(items.map((item) => findingKey([item])));
  const found = (await readFoundFindings(ctx)).find(
    (finding) =>
      finding.kind === kind &&
      [...requestedKeys].every((key) => finding.items.some((item) => findingKey([item]) === key)),
  );
  if (!found) throw notFound();
  const keptFinding = { kind, key: findingKey(items), detail: found.detail, kept_at: ctx.now.toISOString() };
  await sendBatch(ctx, [
    ...assertQuotaLeft(ctx, { bytes: keepDecisionBytes(keptFinding) }),
    keepStatement(ctx, keptFinding),
  ]);
}

async function unkeepFinding(ctx: Ctx, { kind, items }: KeepRequest): Promise<void> {
  await ctx.db.run(
    sql`DELETE FROM tidy_kept WHERE owner = ${ctx.owner} AND kind = ${kind} AND key = ${findingKey(items)}`,
  );
}

/** Keeps a finding as it is, or lets it be reported again. Idempotent. */
export const setFindingKept = (ctx: Ctx, request: KeepRequest): Promise<void> =>
  request.keep ? keepFinding(ctx, request) : unkeepFinding(ctx, request);
