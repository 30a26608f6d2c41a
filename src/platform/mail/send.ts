import { forbidden, unavailable } from "../core/errors.ts";
import type { Env } from "../../env.ts";
import { type Mail, writeLetter } from "./letter.ts";
import { addressIn, mimeOf, partsOf } from "./mime.ts";
import { sendBySmtp } from "./smtp.ts";

// Sends mails: by Cloudflare's Email Service, by SMTP, or, with `npm start` and neither of them, to the terminal.

/** Whether mails reach people's mailboxes. */
export const hasMailServer = (env: Env): boolean => Boolean(env.EMAIL || env.SMTP_URL);

/** Whether a mail can be sent at all: `npm start` prints one that has no other way. */
export const canSendMail = (env: Env): boolean => hasMailServer(env) || env.FRONT_SECRET !== undefined;

/** Throws 403, and says whom to ask, where no mail can be sent. */
export function requireMail(env: Env): void {
  if (!canSendMail(env)) throw forbidden("This deployment cannot send e-mail: ask its operator for help");
}

function senderOf({ MAIL_FROM }: Env): string {
  if (!MAIL_FROM) throw new Error("MAIL_FROM must be set, for example to Commonplace <notes@example.com>");
  return MAIL_FROM;
}

async function hand(env: Env, mail: Mail): Promise<void> {
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

/** Sends a mail. Throws 403 where that is not configured, and 503 when it fails; the log says why. */
export async function sendMail(env: Env, mail: Mail): Promise<void> {
  requireMail(env);
  await hand(env, mail).catch((problem: unknown) => {
    console.error(JSON.stringify({ mail: "failed", error: String(problem) }));
    throw unavailable("The e-mail could not be sent: try again in a few minutes");
  });
}
