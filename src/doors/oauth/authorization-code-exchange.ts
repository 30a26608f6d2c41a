import { DurableObject } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import type { ErrorCode } from "../../contract/error-codes.ts";
import { FIRST_SHARD } from "../../contract/shard.ts";
import type { Env } from "../../env.ts";
import { grantsApi } from "../../features/connections/grants.ts";
import { withRetryingKv } from "../../platform/bindings/kv.ts";
import { hashSecret } from "../../platform/core/secret.ts";
import { requestProgram } from "../../platform/http/client-program.ts";
import { errorResponseOf } from "../../platform/http/http.ts";
import { seal, unseal } from "../../platform/idempotency/sealing.ts";
import { eventStatement } from "../../platform/security-events/store.ts";
import { findShardOfUser } from "../../platform/shards/address-directory-store.ts";
import { configuredShards, openShard } from "../../platform/shards/router.ts";
import { mcpUrlFor } from "./address.ts";
import { callProvider } from "./provider.ts";
import { oauthError } from "./token-request.ts";

const TRADED = "traded";
/** Hashes of the refresh tokens that a connection has used, the latest last. */
const USED = "used";
const ANSWER = "answer";

/** The response to the last refresh, encrypted with the request. */
type StoredResponse = { id: string; at: number; sealed: string };

type Grant = { metadata: { client_name: string } };

/** How long a refresh can be repeated, if its response was lost or several windows of a client refresh concurrently. */
const GRACE_MS = 600_000;
/** A connection that has not been used for this long has ended (`refreshTokenIdleTTL`). */
const IDLE_MS = 30 * 86_400_000;
/** A client that refreshes only when necessary uses one token a day. */
const MAX_USED = 100;
/** A code is valid for ten minutes, and KV may return its grant unchanged for another minute. */
const REMEMBERED_MS = 3_600_000;

const REUSED = "connection_token_reused";
const UNKNOWN: ErrorCode = "outcome_unknown";

const outdated = () => oauthError("invalid_grant", "The refresh token has been used before: connect again");

/**
 * Exchanges authorization codes and refresh tokens one at a time. KV has no conditional writes, so concurrent requests would
 * all find a code or token unused. Each code has an object, and each connection has one for its refresh tokens.
 */
export class AuthorizationCodeExchange extends DurableObject<Env> {
  private waiting = 0;
  private last: Promise<unknown> = Promise.resolve();

  /** Rejects a second use of a code. After the exchange, it means a stolen code: revokes the grant (RFC 6749, 4.1.2). */
  override async fetch(request: Request): Promise<Response> {
    const isParallel = this.waiting > 0;
    this.waiting += 1;
    const answer = this.last.then(() => this.answer(request, isParallel));
    const finish = () => {
      this.waiting -= 1;
    };
    this.last = answer.then(finish, finish);
    return answer;
  }

  private async answer(request: Request, isParallel: boolean): Promise<Response> {
    const form = await request.clone().formData();
    return form.get("grant_type") === "refresh_token"
      ? this.rotate(request, form)
      : this.trade(request, { code: String(form.get("code")), isParallel });
  }

  /** Returns errors of the service as responses, because the Worker cannot recognize an error of another isolate. */
  private ask(request: Request): Promise<Response> {
    const mcpUrl = mcpUrlFor(this.env.MCP_URL, new URL(request.url)) ?? this.env.MCP_URL;
    const context = this.ctx as unknown as ExecutionContext;
    return callProvider(mcpUrl, request, { env: this.env, context }).catch(errorResponseOf);
  }

  /**
   * Each token has one successor. The same request gets it again for minutes, because the response may have been lost. A later
   * use, or one after the next token was used, may be by a thief and ends the connection (RFC 9700 section 4.14.2).
   */
  private async rotate(request: Request, form: FormData): Promise<Response> {
    const { kv } = this.ctx.storage;
    const token = String(form.get("refresh_token"));
    const id = await hashSecret(token);
    const secret = JSON.stringify([request.headers.get("Authorization"), ...form]);
    const used = kv.get<string[]>(USED) ?? [];
    if (used.includes(id)) return this.repeat(request, { token, id, secret });
    const answer = await this.ask(request);
    if (!answer.ok) return answer;
    const sealed = await seal(secret, await answer.clone().text());
    kv.put(USED, [...used, id].slice(-MAX_USED));
    kv.put<StoredResponse>(ANSWER, { id, at: Date.now(), sealed });
    await this.ctx.storage.setAlarm(Date.now() + GRACE_MS);
    return answer;
  }

  private async repeat(
    request: Request,
    { token, id, secret }: { token: string; id: string; secret: string },
  ): Promise<Response> {
    const stored = this.ctx.storage.kv.get<StoredResponse>(ANSWER);
    if (stored?.id !== id || Date.now() - stored.at > GRACE_MS) {
      await this.revoke(token, request);
      return outdated();
    }
    const text = await unseal(secret, stored.sealed).catch(() => undefined);
    return text === undefined
      ? outdated()
      : Response.json(JSON.parse(text), { headers: { "Cache-Control": "no-store" } });
  }

  private async trade(request: Request, { code, isParallel }: { code: string; isParallel: boolean }) {
    const { kv } = this.ctx.storage;
    if (kv.get(TRADED)) {
      if (!isParallel) await this.revoke(code, request);
      return oauthError("invalid_grant", "Authorization code already used");
    }
    // Stored first, because an interrupted exchange may already have issued tokens.
    kv.put(TRADED, true);
    await this.ctx.storage.setAlarm(Date.now() + REMEMBERED_MS);
    const answer = await this.ask(request);
    if (!answer.ok && answer.headers.get("Error-Code") !== UNKNOWN) await this.forget();
    return answer;
  }

  /** Ends the connection of a code or token, and logs a security event in its account. */
  private async revoke(secret: string, { headers }: Request): Promise<void> {
    const [userId = "", grantId = ""] = secret.split(":");
    const key = `grant:${userId}:${grantId}`;
    const grant = await withRetryingKv(this.env).OAUTH_KV.get<Grant>(key, "json");
    await grantsApi(this.env).revokeGrant(grantId, userId);
    // Logged once, and not for a connection that had already ended.
    if (!grant) return;
    await this.logReuse(userId, grant.metadata.client_name, headers).catch((problem: unknown) =>
      // The connection has ended anyway, so the client still gets that response.
      console.error(JSON.stringify({ security_event: REUSED, error: String(problem) })),
    );
  }

  private async logReuse(userId: string, detail: string, headers: Headers): Promise<void> {
    const isOnly = configuredShards(this.env).length === 1;
    const home = isOnly ? undefined : await findShardOfUser(openShard(this.env, FIRST_SHARD), userId);
    const base = { ...openShard(this.env, home ?? FIRST_SHARD), program: requestProgram(headers) };
    await eventStatement(base, { event: REUSED, detail }, sql`id = ${userId}`);
  }

  private async forget(): Promise<void> {
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  override async alarm(): Promise<void> {
    const { kv } = this.ctx.storage;
    if (!kv.get(ANSWER)) return this.forget();
    kv.delete(ANSWER);
    await this.ctx.storage.setAlarm(Date.now() + IDLE_MS);
  }
}
