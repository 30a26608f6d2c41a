import type { Context } from "hono";
import type { SessionKind } from "../../contract/auth.ts";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { signInBrowser } from "./session-cookie.ts";
import { issueTokens } from "./session-store.ts";
import type { SignInResult } from "./store.ts";
import { signingKeys } from "./token.ts";

export const SET_COOKIE_HEADER = {
  "Set-Cookie": {
    description: "The session cookie, when `session` is `cookie`",
    schema: { type: "string" },
  },
} as const;

export const NOT_FROM_OWN_PAGE =
  "`session` is `cookie` but the request does not come from a page of this service";

export async function answerSignIn(c: Context<AppEnv>, session: SessionKind, signedIn: SignInResult) {
  const { id: sessionId, secret, shard, owner, user } = signedIn;
  if (session === "tokens") {
    const claims = { userId: user.id, sessionId, home: shard, owner };
    return issueTokens(await signingKeys(c.env), claims, secret, c.var.base.now);
  }
  await signInBrowser(c, signedIn);
  return user;
}
