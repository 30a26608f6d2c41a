import { env } from "cloudflare:workers";

// The mails that the service has handed to Cloudflare's Email Service. In tests that is a Worker of its own
// (mail-service.js), which keeps them.

export type Received = {
  to: string;
  from: string | { name: string; email: string };
  subject: string;
  text: string;
  html: string;
};

type MailService = {
  send: (mail: Received) => Promise<void>;
  /** The first mail to an address with such a subject, when it has come. */
  take: (to: string, subject: string) => Promise<Received>;
  /** How many mails have come to an address. */
  count: (to: string) => Promise<number>;
  clear: () => Promise<void>;
};

export const mailService = env.EMAIL as unknown as MailService;

export const RESET = "Set a new password";
export const VERIFY = "Confirm your email address";
export const CHANGE = "Confirm your new email address";
export const UNDO = "Your email address is about to change";

/** The next mail to an address with this subject. */
export const mailTo = (to: string, subject: string): Promise<Received> => mailService.take(to, subject);

/** The link in a mail, and the code after its `#`. */
export function linkIn({ text }: Received): { link: string; code: string } {
  const [link = "", code = ""] = /https?:\/\/\S+#([\w.-]+)/.exec(text) ?? [];
  return { link, code };
}

/** The code in the next mail to an address with this subject. */
export const codeFor = async (to: string, subject: string) => linkIn(await mailTo(to, subject)).code;
