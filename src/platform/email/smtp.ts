import { connect } from "cloudflare:sockets";
import { base64 } from "./mime.ts";

// SMTP (RFC 5321). Never sends a password without encryption, and with `smtps:` nothing at all.

const TIMEOUT_MS = 20_000;
/** Longest accepted reply in characters. A mail server does not send more. */
const MAX_REPLY = 16_384;

/** The email was not sent and can be sent again: the server could not be reached, or rejected it temporarily. */
export class NotDeliveredError extends Error {}

class RejectedCommand extends Error {
  /** The server's reply code (RFC 5321 section 4.2). */
  readonly reply: string;

  constructor(text: string) {
    super(`The mail server refused: ${text.trim().slice(0, 200)}`);
    this.reply = text.slice(0, 3);
  }
}

export type SmtpEnvelope = { from: string; to: string; message: string };
type Server = { hostname: string; port: number; isSecure: boolean; user: string; password: string };

function serverOf(url: string): Server {
  const { protocol, hostname, port, username, password } = new URL(url);
  const isSecure = protocol === "smtps:";
  return {
    hostname: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port || (isSecure ? 465 : 587)),
    isSecure,
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
  };
}

const isComplete = (reply: string) => /(^|\r\n)\d{3}( [^\r\n]*)?\r\n$/.test(reply);

function openConversation(socket: Socket) {
  const reader = socket.readable.getReader();
  const writer = socket.writable.getWriter();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();

  async function reply(expected: string): Promise<string> {
    let text = "";
    while (!isComplete(text)) {
      const { value, done } = await reader.read();
      if (done || text.length > MAX_REPLY) throw new Error("The mail server ended the conversation");
      text += decoder.decode(value as Uint8Array, { stream: true });
    }
    // The command is not quoted: it may contain the password.
    if (!text.startsWith(expected)) throw new RejectedCommand(text);
    return text;
  }

  return {
    reply,
    say: async (line: string, expected: string) => {
      await writer.write(encoder.encode(`${line}\r\n`));
      return reply(expected);
    },
    release: () => {
      reader.releaseLock();
      writer.releaseLock();
    },
  };
}
type Conversation = ReturnType<typeof openConversation>;

const HELLO = "EHLO commonplace";

/** Signs in if the URL has credentials. Most servers support PLAIN, Microsoft's only LOGIN. */
async function signIn(
  conversation: Conversation,
  capabilities: string,
  { user, password }: Server,
): Promise<void> {
  if (user === "") return;
  if (/\bAUTH\b.*\bPLAIN\b/i.test(capabilities)) {
    await conversation.say(`AUTH PLAIN ${base64(`\0${user}\0${password}`)}`, "235");
    return;
  }
  await conversation.say("AUTH LOGIN", "334");
  await conversation.say(base64(user), "334");
  await conversation.say(base64(password), "235");
}

type Progress = { isHandedOver: boolean };

async function deliver(
  conversation: Conversation,
  { from, to, message }: SmtpEnvelope,
  progress: Progress,
): Promise<void> {
  await conversation.say(`MAIL FROM:<${from}>`, "250");
  await conversation.say(`RCPT TO:<${to}>`, "25");
  await conversation.say("DATA", "354");
  progress.isHandedOver = true;
  await conversation.say(`${message}.`, "250");
  // From here on the server is responsible for the email (RFC 5321 section 6.1), even if QUIT fails.
  await conversation.say("QUIT", "2").catch(() => undefined);
}

/** Reply codes that begin with 4 are temporary (RFC 5321 section 4.2.1). */
const isRetryable = (problem: unknown, { isHandedOver }: Progress): boolean =>
  problem instanceof RejectedCommand ? problem.reply.startsWith("4") : !isHandedOver;

/** `smtps://…:465` uses TLS from the start, `smtp://…:587` STARTTLS. Throws the server's reply, or `NotDeliveredError`. */
export async function sendBySmtp(url: string, envelope: SmtpEnvelope): Promise<void> {
  const progress = { isHandedOver: false };
  await converse(url, envelope, progress).catch((problem: unknown) => {
    throw isRetryable(problem, progress) ? new NotDeliveredError(String(problem)) : problem;
  });
}

async function converse(url: string, envelope: SmtpEnvelope, progress: Progress): Promise<void> {
  const server = serverOf(url);
  const { hostname, port, isSecure } = server;
  let socket = connect(
    { hostname, port },
    { secureTransport: isSecure ? "on" : "starttls", allowHalfOpen: false },
  );
  const timer = setTimeout(() => socket.close(), TIMEOUT_MS);
  try {
    let conversation = openConversation(socket);
    await conversation.reply("220");
    let capabilities = await conversation.say(HELLO, "250");
    const canEncrypt = /\bSTARTTLS\b/i.test(capabilities);
    if (!isSecure && !canEncrypt && server.user)
      throw new Error("The mail server offers no STARTTLS, so the password was not sent");
    if (!isSecure && canEncrypt) {
      await conversation.say("STARTTLS", "220");
      conversation.release();
      socket = socket.startTls();
      conversation = openConversation(socket);
      capabilities = await conversation.say(HELLO, "250");
    }
    await signIn(conversation, capabilities, server);
    await deliver(conversation, envelope, progress);
  } finally {
    clearTimeout(timer);
    await socket.close().catch(() => undefined);
  }
}
