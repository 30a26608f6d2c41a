import { Buffer } from "node:buffer";

// RFC 5322, RFC 2045, RFC 2047.

export type MimeEmail = { from: string; to: string; subject: string; text: string; html: string };

export type MessageStamp = { date: Date; id: string };

export const base64 = (text: string) => Buffer.from(text, "utf8").toString("base64");

/** The address in `Name <address>`, or the whole text. Throws if it could end its header or SMTP command. */
export function parseAddress(mailbox: string): string {
  const address = /<([^<>]*)>\s*$/.exec(mailbox)?.[1] ?? mailbox.trim();
  if (!/^[^\s<>@]+@[^\s<>@]+$/.test(address)) throw new Error("Not an email address");
  return address;
}

/** 45 bytes become 60 characters and, with the delimiters, 72 of the 75 that an encoded word may have. */
const WORD_BYTES = 45;

/** A text as encoded words (RFC 2047), each of whole characters. Makes line breaks harmless as well. */
function encoded(text: string): string {
  const words: string[] = [];
  let word = "";
  for (const character of text) {
    const isFull = Buffer.byteLength(word + character) > WORD_BYTES;
    if (isFull) words.push(word);
    word = isFull ? character : word + character;
  }
  words.push(word);
  return words.map((word) => `=?UTF-8?B?${base64(word)}?=`).join("\r\n ");
}

const plainOr = (plain: RegExp, text: string) => (plain.test(text) ? text : encoded(text));

/** The name and address in `Name <address>`; an address alone has no name. Throws for a malformed address. */
export function parseMailbox(mailbox: string): { name: string; email: string } {
  const end = mailbox.lastIndexOf("<");
  return {
    name: mailbox.slice(0, Math.max(end, 0)).replace(/^[\s"]+|[\s"]+$/g, ""),
    email: parseAddress(mailbox),
  };
}

function headerOf(mailbox: string): string {
  const { name, email } = parseMailbox(mailbox);
  return name ? `${plainOr(/^[\w ]{1,60}$/, name)} <${email}>` : email;
}

const part = (type: string, text: string) =>
  [
    `Content-Type: ${type}; charset=utf-8`,
    "Content-Transfer-Encoding: base64",
    "",
    base64(text).replace(/.{76}/g, "$&\r\n"),
  ].join("\r\n");

/** The complete message. All lines are short and none begins with a dot, so SMTP has to escape nothing. */
export function formatMime({ from, to, subject, text, html }: MimeEmail, { date, id }: MessageStamp): string {
  const boundary = `=_${id}`;
  const headers = [
    `From: ${headerOf(from)}`,
    `To: ${headerOf(to)}`,
    `Subject: ${plainOr(/^[ -~]{1,60}$/, subject)}`,
    `Date: ${date.toUTCString().replace("GMT", "+0000")}`,
    `Message-ID: <${id}@${parseAddress(from).split("@")[1]}>`,
    "Auto-Submitted: auto-generated",
    "MIME-Version: 1.0",
    `Content-Type: multipart/alternative; boundary="${boundary}"`,
  ].join("\r\n");
  const parts = [part("text/plain", text), part("text/html", html)];
  return [headers, "", ...parts.map((one) => `--${boundary}\r\n${one}`), `--${boundary}--`, ""].join("\r\n");
}
