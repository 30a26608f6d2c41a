import type * as auth from "../../../src/contract/auth.ts";
import type * as email from "../../../src/contract/auth-email.ts";
import type * as passkeys from "../../../src/contract/passkeys.ts";
import type * as factor from "../../../src/contract/second-factor.ts";
import type * as events from "../../../src/contract/security-events.ts";
import { type Answer, get, type Input, post, type Query, remove, update } from "./client.ts";
import { request } from "./request.ts";

export type User = Answer<typeof auth.User>;
export type Session = Answer<typeof auth.SessionList>["items"][number];
export type SecurityEvent = Answer<typeof events.SecurityEventList>["items"][number];
export type NewSecondFactor = Answer<typeof factor.NewSecondFactor>;
export type { Attestation, Passkey, PasskeyOptions } from "../../../src/contract/passkeys.ts";

type PasskeyLoginOptions = Answer<typeof passkeys.PasskeyLoginOptions>;
export type Assertion = Input<typeof passkeys.Assertion>;

export const account = {
  me: () => get<User>("/api/auth/me"),
  signIn: (input: { email: string; password: string; code?: string }) =>
    post<User>("/api/auth/login", { ...input, session: "cookie" }),
  passkeyLoginOptions: () => post<PasskeyLoginOptions>("/api/auth/login/passkey/options", undefined),
  signInWithPasskey: (assertion: Assertion) =>
    post<User>("/api/auth/login/passkey", { assertion, session: "cookie" }),
  /** Id of the account that the browser is signed in to, which may differ from the account of the page. */
  signedIn: async (): Promise<string | undefined> => {
    const answer = await fetch("/api/auth/me").catch(() => undefined);
    return answer?.ok ? ((await answer.json()) as User).id : undefined;
  },
  signOut: () => post<void>("/api/auth/logout", {}),
  signOutEverywhere: () => post<void>("/api/auth/logout-all", undefined),
  update: (fields: Input<typeof auth.UserUpdateRequest>) => update<User>("PATCH", "/api/auth/me", fields),
  changePassword: (input: Input<typeof auth.PasswordRequest>) => post<void>("/api/auth/password", input),
  erase: (body: Input<typeof auth.DeleteMeRequest>) =>
    request<void>("/api/auth/me", { method: "DELETE", body }),
  sessions: (query: Query<typeof auth.SessionListQuery> = {}) =>
    get<Answer<typeof auth.SessionList>>("/api/auth/sessions", query),
  endSession: (id: string) => remove(`/api/auth/sessions/${id}`),
  events: (query: Query<typeof events.SecurityEventListQuery> = {}) =>
    get<Answer<typeof events.SecurityEventList>>("/api/auth/events", query),
  changeEmail: (input: Input<typeof email.EmailChangeRequest>) => post<void>("/api/auth/email", input),
  sendVerification: () => post<void>("/api/auth/email/verification", undefined),
  secondFactor: () => get<factor.SecondFactor>("/api/auth/second-factor"),
  startSecondFactor: (password: string) => post<NewSecondFactor>("/api/auth/second-factor", { password }),
  confirmSecondFactor: (code: string) =>
    post<Answer<typeof factor.RecoveryCodes>>("/api/auth/second-factor/confirm", { code }),
  renewRecoveryCodes: (input: Input<typeof factor.SecondFactorChangeRequest>) =>
    post<Answer<typeof factor.RecoveryCodes>>("/api/auth/second-factor/recovery-codes", input),
  removeSecondFactor: (input: Input<typeof factor.SecondFactorChangeRequest>) =>
    request<void>("/api/auth/second-factor", { method: "DELETE", body: input }),
  passkeys: () => get<Answer<typeof passkeys.PasskeyList>>("/api/auth/passkeys", { limit: 100 }),
  passkeyOptions: (input: Input<typeof passkeys.PasskeyOptionsRequest>) =>
    post<passkeys.PasskeyOptions>("/api/auth/passkeys/options", input),
  addPasskey: (input: Input<typeof passkeys.PasskeyCreateRequest>) =>
    post<passkeys.Passkey>("/api/auth/passkeys", input),
  renamePasskey: (id: string, name: string) =>
    update<passkeys.Passkey>("PATCH", `/api/auth/passkeys/${id}`, { name }),
  removePasskey: (id: string) => remove(`/api/auth/passkeys/${id}`),
};
