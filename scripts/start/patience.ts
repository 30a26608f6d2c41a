import type { IncomingMessage, ServerResponse } from "node:http";
import { type Refusal, refuse } from "./refuse.ts";

// How long the front waits for a client. For the Worker it waits as long as that takes.

/** In milliseconds. */
export type Patience = {
  /** Without a byte from a client that has something left to send or to read. */
  stillMs: number;
  /** For a whole request, unless its body may have any size. */
  wholeMs: number;
};

const tooLate = (detail: string): Refusal => ({ status: 408, detail, headers: { Connection: "close" } });
const STOOD_STILL = tooLate("The request stood still: send it again");
const TOOK_TOO_LONG = tooLate("The request took too long: send it again, over a better connection");

/** Ends a request for the sake of the others: with a reason if it has not been answered yet. */
function end(incoming: IncomingMessage, response: ServerResponse, reason: Refusal): void {
  if (response.headersSent) incoming.socket.destroy();
  else refuse(response, reason);
}

/**
 * Ends a request whose client stands still, which the connection's own timer tells.
 *
 * Whoever is paused waits for the Worker, and whoever has sent everything and has nothing to read does too.
 */
export function endWhenStill(incoming: IncomingMessage, response: ServerResponse, stillMs: number): void {
  const { socket } = incoming;
  // The timer runs out once.
  const waitOn = () => socket.setTimeout(socket.timeout ?? 0);
  incoming.on("timeout", () => {
    if (incoming.isPaused()) waitOn();
    else end(incoming, response, STOOD_STILL);
  });
  response.on("timeout", () => {
    if (!incoming.complete) return;
    if (socket.writableLength > 0) socket.destroy();
    else waitOn();
  });
  // Node takes a connection whose request has its answer for an idle one, even if the rest of the request is missing.
  response.on("finish", () => {
    if (!incoming.complete) socket.setTimeout(stillMs);
  });
}

/** Ends a request whose body takes longer than this, even if it never stands still. */
export function endWhenLate(incoming: IncomingMessage, response: ServerResponse, wholeMs: number): void {
  if (incoming.complete) return;
  const timer = setTimeout(() => end(incoming, response, TOOK_TOO_LONG), wholeMs).unref();
  for (const event of ["end", "close"]) incoming.once(event, () => clearTimeout(timer));
}
