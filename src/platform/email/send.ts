import type { Env } from "../../env.ts";
import { forbidden, NotSentError, unavailable } from "../core/errors.ts";
import { formatMime, parseAddress, parseMailbox } from "./mime.ts";
import { type Email, renderEmail } from "./render.ts";
import { NotDeliveredError, sendBySmtp } from "./smtp.ts";

export const hasEmailServer = (env: Env): boolean => Boolean(env.EMAIL || env.SMTP_URL);

/** Whether emails can be sent. With MAIL=terminal, as `npm start` sets it, they are printed if there is no server. */
export const canSendEmail = (env: Env): boolean => hasEmailServer(env) || env.MAIL === "terminal";

export type EmailDelivery = "mailbox" | "terminal" | "none";

export const emailDelivery = (env: Env): EmailDelivery =>
  hasEmailServer(env) ? "mailbox" : canSendEmail(env) ? "terminal" : "none";

export function requireEmail(env: Env): void {
  if (!canSendEmail(env)) throw forbidden("This service cannot send email: ask its operator for help");
}

async function deliver(env: Env, mail: Email): Promise<void> {
  const { to, subject } = mail;
  const { text, html } = renderEmail(mail);
  if (!hasEmailServer(env)) {
    console.info(`\nTo: ${to}\nSubject: ${subject}\n\n${text}`);
    return;
  }
  const from = env.MAIL_FROM;
  if (!from) throw new Error("MAIL_FROM must be set, for example to Commonplace <notes@example.com>");
  if (env.EMAIL) {
    const sender = parseMailbox(from);
    await env.EMAIL.send({ from: sender.name ? sender : sender.email, to, subject, text, html });
    return;
  }
  const stamp = { date: new Date(), id: crypto.randomUUID() };
  const letter = formatMime({ from, to, subject, text, html }, stamp);
  await sendBySmtp(env.SMTP_URL ?? "", { from: parseAddress(from), to: parseAddress(to), message: letter });
}

/** Errors of Cloudflare's Email Service that are safe to retry. Other errors may come after the email has been sent. */
const RETRYABLE = ["E_RATE_LIMIT_EXCEEDED", "E_DAILY_LIMIT_EXCEEDED"];

const isRetryable = (problem: unknown): boolean =>
  problem instanceof NotDeliveredError || RETRYABLE.includes(String((problem as { code?: unknown }).code));

const FAILED = "The email could not be sent: try again in a few minutes";

/** Throws 403 if email is not configured, 503 if sending fails; `NotSentError` if it is safe to send it again. */
export async function sendEmail(env: Env, mail: Email): Promise<void> {
  requireEmail(env);
  await deliver(env, mail).catch((problem: unknown) => {
    console.error(JSON.stringify({ mail: "failed", error: String(problem) }));
    throw isRetryable(problem) ? new NotSentError(503, FAILED, { "Retry-After": "60" }) : unavailable(FAILED);
  });
}
