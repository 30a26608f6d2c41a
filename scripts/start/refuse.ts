import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { CODE_OF_STATUS, type ErrorStatus } from "../../src/contract/error-codes.ts";

/** The answer to a request that is not forwarded. */
export type Refusal = { status: ErrorStatus; detail: string; headers?: OutgoingHttpHeaders };

const HEADERS = {
  "Content-Type": "application/json",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
};

/** What MCP and its OAuth server refuse is read by any page, as in the Worker (doors/oauth/readable.ts). */
const IS_FOR_CLIENTS = /^\/(mcp|oauth|\.well-known)(\/|[?]|$)/;

/** Lets a page read a refusal of what it may call. */
function readableBy(
  { url = "", headers: { origin } }: IncomingMessage,
  origins: string[],
): OutgoingHttpHeaders {
  if (origin === undefined) return {};
  const allowed = IS_FOR_CLIENTS.test(url) ? "*" : origins.find((one) => one === origin);
  return allowed === undefined
    ? {}
    : {
        "Access-Control-Allow-Origin": allowed,
        "Access-Control-Expose-Headers": "Error-Code, Retry-After",
        ...(allowed !== "*" && { Vary: "Origin" }),
      };
}

/**
 * Answers a request that is not forwarded.
 *
 * @param origins those whose pages may call the API
 */
export function refuse(
  response: ServerResponse,
  { status, detail, headers }: Refusal,
  origins: string[] = [],
): void {
  // Lets Node read the rest of the request: closing the connection before that would reset it, and the client would
  // never see the answer.
  const body = JSON.stringify({ detail });
  response.writeHead(status, {
    ...HEADERS,
    ...readableBy(response.req, origins),
    "Error-Code": CODE_OF_STATUS[status],
    ...headers,
    "Content-Length": Buffer.byteLength(body),
  });
  response.end(body);
}
