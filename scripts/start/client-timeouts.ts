import type { IncomingMessage, ServerResponse } from "node:http";
import { type ErrorResponse, sendError } from "./send-error.ts";

// How long the front waits for a client. It has no timeout for the Worker.

export type ClientTimeouts = {
  /** The longest time without a byte from a client that still has something to send or to read. */
  idleMs: number;
  /** The longest time for a whole request, unless its body may have any size. */
  totalMs: number;
};

const timeoutError = (detail: string): ErrorResponse => ({
  status: 408,
  detail,
  headers: { Connection: "close" },
});
const IDLE = timeoutError("No data arrived for too long: send the request again");
const TOO_SLOW = timeoutError("The request took too long: send it again over a faster connection");

/** Ends a request, with an error if it has not been answered yet. */
function endRequest(incoming: IncomingMessage, response: ServerResponse, reason: ErrorResponse): void {
  if (response.headersSent) incoming.socket.destroy();
  else sendError(response, reason);
}

/**
 * Ends a request whose client sends and reads nothing, by the connection's own timer. A paused request is waiting for
 * the Worker, not for the client; so is a client that has sent everything and has nothing to read.
 */
export function endWhenIdle(incoming: IncomingMessage, response: ServerResponse, idleMs: number): void {
  const { socket } = incoming;
  // The timer fires once, so it has to be restarted.
  const restartTimer = () => socket.setTimeout(socket.timeout ?? 0);
  incoming.on("timeout", () => {
    if (incoming.isPaused()) restartTimer();
    else endRequest(incoming, response, IDLE);
  });
  response.on("timeout", () => {
    if (!incoming.complete) return;
    if (socket.writableLength > 0) socket.destroy();
    else restartTimer();
  });
  // After the answer, Node treats the connection as idle even if the rest of the request is missing.
  response.on("finish", () => {
    if (!incoming.complete) socket.setTimeout(idleMs);
  });
}

/** Ends a request whose body takes longer than this, even if data keeps arriving. */
export function endWhenSlow(incoming: IncomingMessage, response: ServerResponse, totalMs: number): void {
  if (incoming.complete) return;
  const timer = setTimeout(() => endRequest(incoming, response, TOO_SLOW), totalMs).unref();
  for (const event of ["end", "close"]) incoming.once(event, () => clearTimeout(timer));
}
