import { DurableObject } from "cloudflare:workers";
import type { ErrorCode } from "../../contract/error-codes.ts";
import type { Env } from "../../env.ts";
import { grantsOf } from "../../features/connections/grants.ts";
import { responseOf } from "../../platform/http/http.ts";
import { mcpUrlOf } from "./address.ts";
import { askProvider } from "./provider.ts";
import { oauthError } from "./token-request.ts";

const TRADED = "traded";
/** A code is valid for ten minutes, and KV may return its grant unchanged for a minute more. */
const REMEMBERED_MS = 3_600_000;

const UNKNOWN: ErrorCode = "outcome_unknown";

const refused = () => oauthError("invalid_grant", "Authorization code already used");

/** KV has no conditional write, so parallel requests would all find a code unused: here they take turns. */
export class CodeTrade extends DurableObject<Env> {
  private waiting = 0;
  private last: Promise<unknown> = Promise.resolve();

  /** Refuses a request during an exchange; a later one means a stolen code: revokes the grant (RFC 6749, 4.1.2). */
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
    await this.ctx.storage.setAlarm(Date.now() + REMEMBERED_MS);
    const context = this.ctx as unknown as ExecutionContext;
    const exchanged = askProvider(mcpUrl, request, { env: this.env, context });
    // The Worker would not know an error of another isolate.
    const answer = await exchanged.catch(responseOf);
    if (!answer.ok && answer.headers.get("Error-Code") !== UNKNOWN) await this.forget();
    return answer;
  }

  private async revoke(form: FormData): Promise<void> {
    const [userId = "", grantId = ""] = String(form.get("code")).split(":");
    await grantsOf(this.env).revokeGrant(grantId, userId);
  }

  private async forget(): Promise<void> {
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  override alarm(): Promise<void> {
    return this.forget();
  }
}
