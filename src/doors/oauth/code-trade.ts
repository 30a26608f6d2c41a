import { DurableObject } from "cloudflare:workers";
import { grantsOf } from "../../features/connections/grants.ts";
import type { Env } from "../../env.ts";
import { mcpUrlOf } from "./address.ts";
import { oauthProvider } from "./provider.ts";
import { oauthError } from "./token-request.ts";

const TRADED = "traded";
/** A code is valid for ten minutes, and KV may return its grant unchanged for a minute more. */
const REMEMBERED_MS = 3_600_000;

const refused = () => oauthError("invalid_grant", "Authorization code already used");

/**
 * One authorization code. KV has no conditional write, so parallel requests for the same code would all find it unused.
 * Here they run one after the other, and a successful exchange is remembered.
 */
export class CodeTrade extends DurableObject<Env> {
  private waiting = 0;
  private last: Promise<unknown> = Promise.resolve();

  /**
   * Exchanges the code of a token request. A request that arrives during another exchange is refused; a later one means
   * that the code was stolen, and the grant is revoked with its tokens (RFC 6749 section 4.1.2).
   */
  override async fetch(request: Request): Promise<Response> {
    const isParallel = this.waiting > 0;
    this.waiting += 1;
    const answer = this.last.then(() => this.trade(request, isParallel));
    const leave = () => {
      this.waiting -= 1;
    };
    this.last = answer.then(leave, leave);
    return answer;
  }

  private async trade(request: Request, isParallel: boolean): Promise<Response> {
    const { kv } = this.ctx.storage;
    if (kv.get(TRADED)) {
      if (!isParallel) await this.revoke(await request.formData());
      return refused();
    }
    const mcpUrl = mcpUrlOf(this.env.MCP_URL, new URL(request.url)) ?? this.env.MCP_URL;
    // Stored first: an exchange that is interrupted may already have issued tokens.
    kv.put(TRADED, true);
    const context = this.ctx as unknown as ExecutionContext;
    const answer = await oauthProvider(mcpUrl).fetch(request, this.env, context);
    if (answer.ok) await this.ctx.storage.setAlarm(Date.now() + REMEMBERED_MS);
    else await this.ctx.storage.deleteAll();
    return answer;
  }

  private async revoke(form: FormData): Promise<void> {
    const [userId = "", grantId = ""] = String(form.get("code")).split(":");
    await grantsOf(this.env).revokeGrant(grantId, userId);
  }

  override async alarm(): Promise<void> {
    await this.ctx.storage.deleteAll();
  }
}
