import { connect } from "cloudflare:sockets";
import { Buffer } from "node:buffer";

// SMTP (RFC 5321). Never sends a password, or anything at all with `smtps:`, without encryption.

const PATIENCE_MS = 20_000;
/** The longest reply that is read, in characters. A server that sends more is not one of mail. */
const MAX_REPLY = 16_384;

/** The mail has not been sent, and may be taken later: nobody answered, or the server was not ready for it. */
export class NotTaken extends Error {}

class Refused extends Error {
  /** The server's reply code (RFC 5321 section 4.2). */
  readonly reply: string;

  constructor(text: string) {
    super(`The mail server refused: ${text.trim().slice(0, 200)}`);
    this.reply = text.slice(0, 3);
  }
}

export type Envelope = { from: string; to: string; mail: string };
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

const isWhole = (reply: string) => /(^|\r\n)\d{3}( [^\r\n]*)?\r\n$/.test(reply);

function talkOver(socket: Socket) {
  const reader = socket.readable.getReader();
  const writer = socket.writable.getWriter();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();

  async function reply(expected: string): Promise<string> {
    let text = "";
    while (!isWhole(text)) {
      const { value, done } = await reader.read();
      if (done || text.length > MAX_REPLY) throw new Error("The mail server ended the conversation");
      text += decoder.decode(value as Uint8Array, { stream: true });
    }
    // The command is not quoted: it may contain the password.
    if (!text.startsWith(expected)) throw new Refused(text);
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
type Talk = ReturnType<typeof talkOver>;

const HELLO = "EHLO commonplace";

/** Signs in, if the URL says as whom. Servers speak PLAIN, or, if they are Microsoft's, only LOGIN. */
async function signIn(talk: Talk, capabilities: string, { user, password }: Server): Promise<void> {
  if (user === "") return;
  const base64 = (text: string) => Buffer.from(text, "utf8").toString("base64");
  if (/\bAUTH\b.*\bPLAIN\b/i.test(capabilities)) {
    await talk.say(`AUTH PLAIN ${base64(`\0${user}\0${password}`)}`, "235");
    return;
  }
  await talk.say("AUTH LOGIN", "334");
  await talk.say(base64(user), "334");
  await talk.say(base64(password), "235");
}

type Progress = { isHandedOver: boolean };

async function deliver(talk: Talk, { from, to, mail }: Envelope, progress: Progress): Promise<void> {
  await talk.say(`MAIL FROM:<${from}>`, "250");
  await talk.say(`RCPT TO:<${to}>`, "25");
  await talk.say("DATA", "354");
  progress.isHandedOver = true;
  await talk.say(`${mail}.`, "250");
  // From here on the server is responsible for the mail (RFC 5321 section 6.1), however the conversation ends.
  await talk.say("QUIT", "2").catch(() => undefined);
}

/** Codes that begin with 4 are for what may succeed later (RFC 5321 section 4.2.1). */
const mayTryAgain = (problem: unknown, { isHandedOver }: Progress): boolean =>
  problem instanceof Refused ? problem.reply.startsWith("4") : !isHandedOver;

/** `smtps://…:465` is encrypted from the start, `smtp://…:587` by STARTTLS. Throws the server's words, or `NotTaken`. */
export async function sendBySmtp(url: string, envelope: Envelope): Promise<void> {
  const progress = { isHandedOver: false };
  await converse(url, envelope, progress).catch((problem: unknown) => {
    throw mayTryAgain(problem, progress) ? new NotTaken(String(problem)) : problem;
  });
}

async function converse(url: string, envelope: Envelope, progress: Progress): Promise<void> {
  const server = serverOf(url);
  const { hostname, port, isSecure } = server;
  let socket = connect(
    { hostname, port },
    { secureTransport: isSecure ? "on" : "starttls", allowHalfOpen: false },
  );
  const timer = setTimeout(() => socket.close(), PATIENCE_MS);
  try {
    let talk = talkOver(socket);
    await talk.reply("220");
    let capabilities = await talk.say(HELLO, "250");
    const canEncrypt = /\bSTARTTLS\b/i.test(capabilities);
    if (!isSecure && !canEncrypt && server.user)
      throw new Error("The mail server offers no STARTTLS, so the password was not sent");
    if (!isSecure && canEncrypt) {
      await talk.say("STARTTLS", "220");
      talk.release();
      socket = socket.startTls();
      talk = talkOver(socket);
      capabilities = await talk.say(HELLO, "250");
    }
    await signIn(talk, capabilities, server);
    await deliver(talk, envelope, progress);
  } finally {
    clearTimeout(timer);
    await socket.close().catch(() => undefined);
  }
}
