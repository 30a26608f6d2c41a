import { readdirSync } from "node:fs";
import { Agent, type IncomingMessage, type RequestOptions, request, type ServerResponse } from "node:http";
import { FRONT_HEADER } from "../../src/core/front.ts";

// Passes requests on to the runtime, and its answers back.

/** The sockets of the runtime, on loopback, and the secret that the Worker asks for. */
export type Target = {
  /** Leads straight to the Worker; takes absolute request targets, as a proxy does (RFC 9112 section 3.2.2). */
  worker: number;
  /** Leads through Miniflare, which answers static assets and runs the cron handler. */
  miniflare: number;
  secret: string;
};

/** Hop-by-hop headers (RFC 9110 section 7.6.1), and those that are set or answered here. */
const OWN_HEADERS =
  /^(connection|keep-alive|proxy-connection|te|trailer|upgrade|expect|host|mf-.*|x-mf-.*|x-front-secret)$/i;

const HEADERS = {
  "Content-Type": "application/json",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
};

export type Refusal = { status: number; detail: string };

/** Answers a request that is not passed on. */
export function refuse(response: ServerResponse, { status, detail }: Refusal): void {
  // Node reads the rest of the request: a connection closed before that would be reset, and its client would never
  // see the answer.
  response.writeHead(status, HEADERS);
  response.end(JSON.stringify({ detail }));
}

/** The headers of `raw` (names and values in turn) that are passed on. */
const passing = (raw: string[]) =>
  raw.flatMap((name, index) =>
    index % 2 === 0 && !OWN_HEADERS.test(name) ? [name, raw[index + 1] ?? ""] : [],
  );

/** The headers that the Worker gets: the client's own, the front's secret, and the client's address. */
function headersFor(incoming: IncomingMessage, host: string, secret: string): string[] {
  const headers = [...passing(incoming.rawHeaders), "Host", host, FRONT_HEADER, secret];
  // The runtime would take the front's address for the client's.
  if (incoming.headers["cf-connecting-ip"] === undefined)
    headers.push("CF-Connecting-IP", incoming.socket.remoteAddress ?? "");
  return headers;
}

/** The names at the top of the folder of static assets: a path that begins with none of them is the Worker's. */
const assetNames = () => new Set(readdirSync("public").filter((name) => !/^[_.]/.test(name)));

/** A connection for each request, which closes with it. */
const single = new Agent({ keepAlive: false });

/**
 * workerd closes a connection that was idle for five seconds, and after a stall of its own it also closes those on which
 * requests are waiting. So only reads share kept connections: they can be repeated on a connection of their own.
 */
const IDLE_MS = 4000;
const kept = new Agent({ keepAlive: true, timeout: IDLE_MS });

/** Whether a request changes nothing and has no body: sent twice, it does no harm. */
const isRepeatable = ({ method, headers }: IncomingMessage) =>
  (method === "GET" || method === "HEAD") &&
  headers["transfer-encoding"] === undefined &&
  Number(headers["content-length"] ?? 0) === 0;

/** Sends a request to the runtime and streams its answer back. */
function send(incoming: IncomingMessage, response: ServerResponse, options: RequestOptions): void {
  const outgoing = request(options, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, passing(answer.rawHeaders));
    // Without a length it may be a stream whose first event is far away; otherwise headers and body leave together.
    if (answer.headers["content-length"] === undefined) response.flushHeaders();
    answer.pipe(response);
    answer.on("error", () => response.destroy());
  });
  outgoing.on("error", () => {
    // An answer may come before the whole request was read, as a 413 does; sending the rest of the request then fails.
    if (response.headersSent || response.destroyed) return;
    if (outgoing.reusedSocket) send(incoming, response, { ...options, agent: single });
    else refuse(response, { status: 503, detail: "The service is restarting: try again in a moment" });
  });
  response.on("close", () => {
    outgoing.destroy();
    incoming.resume();
  });
  if (options.agent === kept) outgoing.end();
  else incoming.pipe(outgoing);
}

/**
 * What passes a request on.
 *
 * @param url the address that the client asked for
 */
export function forwarder({ worker, miniflare, secret }: Target) {
  const assets = assetNames();
  return (incoming: IncomingMessage, response: ServerResponse, url: URL): void => {
    const path = url.pathname + url.search;
    const isAsset = assets.has(url.pathname.split("/", 2)[1] ?? "");
    send(incoming, response, {
      agent: isRepeatable(incoming) ? kept : single,
      host: "127.0.0.1",
      method: incoming.method,
      ...(isAsset ? { port: miniflare, path } : { port: worker, path: url.origin + path }),
      headers: headersFor(incoming, url.host, secret),
    });
  };
}
