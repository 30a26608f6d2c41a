import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { CODE_OF_STATUS, type ErrorStatus } from "../../src/contract/error-codes.ts";

/** The answer to a request that is not forwarded. */
export type Refusal = { status: ErrorStatus; detail: string; headers?: OutgoingHttpHeaders };

const HEADERS = {
  "Content-Type": "application/json",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
};

/** Answers a request that is not forwarded. */
export function refuse(response: ServerResponse, { status, detail, headers }: Refusal): void {
  // Lets Node read the rest of the request: closing the connection before that would reset it, and the client would
  // never see the answer.
  const body = JSON.stringify({ detail });
  response.writeHead(status, {
    ...HEADERS,
    "Error-Code": CODE_OF_STATUS[status],
    ...headers,
    "Content-Length": Buffer.byteLength(body),
  });
  response.end(body);
}
