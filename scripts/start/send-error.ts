import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { CODE_BY_STATUS, type ErrorStatus } from "../../src/contract/error-codes.ts";

/** The error answer to a request that is not forwarded. */
export type ErrorResponse = { status: ErrorStatus; detail: string; headers?: OutgoingHttpHeaders };

const HEADERS = {
  "Content-Type": "application/json",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
};

/** Errors of MCP and OAuth are readable by pages of any origin, as in the Worker (doors/oauth/readable.ts). */
const CLIENT_PATHS = /^\/(mcp|oauth|\.well-known)(\/|[?]|$)/;

/** CORS headers, so that a page that may call the API can read the error. */
function corsHeaders(
  { url = "", headers: { origin } }: IncomingMessage,
  origins: string[],
): OutgoingHttpHeaders {
  if (origin === undefined) return {};
  const allowed = CLIENT_PATHS.test(url) ? "*" : origins.find((one) => one === origin);
  return allowed === undefined
    ? {}
    : {
        "Access-Control-Allow-Origin": allowed,
        "Access-Control-Expose-Headers": "Error-Code, Retry-After",
        ...(allowed !== "*" && { Vary: "Origin" }),
      };
}

/**
 * Answers a request with an error instead of forwarding it.
 *
 * @param origins the origins whose pages may call the API
 */
export function sendError(
  response: ServerResponse,
  { status, detail, headers }: ErrorResponse,
  origins: string[] = [],
): void {
  // Node reads the rest of the request. Closing the connection earlier would reset it, and the client would never see
  // the answer.
  const body = JSON.stringify({ detail });
  response.writeHead(status, {
    ...HEADERS,
    ...corsHeaders(response.req, origins),
    "Error-Code": CODE_BY_STATUS[status],
    ...headers,
    "Content-Length": Buffer.byteLength(body),
  });
  response.end(body);
}
