import type { Env } from "../../env.ts";
import { forbidden, Unsent, unavailable } from "../core/errors.ts";
import { type Mail, writeLetter } from "./letter.ts";
import { addressIn, mimeOf, partsOf } from "./mime.ts";
import { NotTaken, sendBySmtp } from "./smtp.ts";

export const hasMailServer = (env: Env): boolean => Boolean(env.EMAIL || env.SMTP_URL);

/** Whether emails can be sent. With MAIL=terminal, as `npm start` sets it, they are printed if there is no server. */
export const canSendMail = (env: Env): boolean => hasMailServer(env) || env.MAIL === "terminal";

export type MailWay = "mailbox" | "terminal" | "none";

export const mailWay = (env: Env): MailWay =>
  hasMailServer(env) ? "mailbox" : canSendMail(env) ? "terminal" : "none";

export function requireMail(env: Env): void {
  if (!canSendMail(env)) throw forbidden("This service cannot send email: ask its operator for help");
}

function senderOf({ MAIL_FROM }: Env): string {
  if (!MAIL_FROM) throw new Error("MAIL_FROM must be set, for example to Commonplace <notes@example.com>");
  return MAIL_FROM;
}

async function deliver(env: Env, mail: Mail): Promise<void> {
  const { to, subject } = mail;
  const { text, html } = writeLetter(mail);
  if (!hasMailServer(env)) {
    console.info(`\nTo: ${to}\nSubject: ${subject}\n\n${text}`);
    return;
  }
  const from = senderOf(env);
  if (env.EMAIL) {
    const sender = partsOf(from);
    await env.EMAIL.send({ from: sender.name ? sender : sender.email, to, subject, text, html });
    return;
  }
  const stamp = { date: new Date(), id: crypto.randomUUID() };
  const letter = mimeOf({ from, to, subject, text, html }, stamp);
  await sendBySmtp(env.SMTP_URL ?? "", { from: addressIn(from), to: addressIn(to), mail: letter });
}

/** Errors of Cloudflare's Email Service that are safe to retry. Other errors may come after the email has been sent. */
const RETRYABLE = ["E_RATE_LIMIT_EXCEEDED", "E_DAILY_LIMIT_EXCEEDED"];

const isRetryable = (problem: unknown): boolean =>
  problem instanceof NotTaken || RETRYABLE.includes(String((problem as { code?: unknown }).code));

const FAILED = "The email could not be sent: try again in a few minutes";

/** Throws 403 if email is not configured, 503 if sending fails; `Unsent` if it is safe to send it again. */
export async function sendMail(env: Env, mail: Mail): Promise<void> {
  requireMail(env);
  await deliver(env, mail).catch((problem: unknown) => {
    console.error(JSON.stringify({ mail: "failed", error: String(problem) }));
    throw isRetryable(problem) ? new Unsent(503, FAILED, { "Retry-After": "60" }) : unavailable(FAILED);
  });
}
