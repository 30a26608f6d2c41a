import { readdirSync } from "node:fs";
import { Agent, type IncomingMessage, type RequestOptions, request, type ServerResponse } from "node:http";
import { FRONT_HEADER } from "../../src/platform/http/front.ts";

// Forwards requests to the runtime and streams its answers back.

/** The runtime's ports on loopback, and the secret that the Worker requires. */
export type Target = {
  /** Leads straight to the Worker; accepts absolute request targets, as a proxy does (RFC 9112 section 3.2.2). */
  worker: number;
  /** Leads through Miniflare, which answers static assets and runs the cron handler. */
  miniflare: number;
  secret: string;
};

/** Hop-by-hop headers (RFC 9110 section 7.6.1), and those that are set or handled here. */
const OWN_HEADERS =
  /^(connection|keep-alive|proxy-connection|te|trailer|upgrade|expect|host|mf-.*|x-mf-.*|x-front-secret)$/i;

const HEADERS = {
  "Content-Type": "application/json",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
};

export type Refusal = { status: number; detail: string };

/** Answers a request that is not forwarded. */
export function refuse(response: ServerResponse, { status, detail }: Refusal): void {
  // Lets Node read the rest of the request: closing the connection before that would reset it, and the client would
  // never see the answer.
  response.writeHead(status, HEADERS);
  response.end(JSON.stringify({ detail }));
}

/** The headers in `raw` (names and values in turn) that are forwarded. */
const passing = (raw: string[]) =>
  raw.flatMap((name, index) =>
    index % 2 === 0 && !OWN_HEADERS.test(name) ? [name, raw[index + 1] ?? ""] : [],
  );

/** The headers that the Worker gets: the client's own, the front's secret, and the client's address. */
function headersFor(incoming: IncomingMessage, host: string, secret: string): string[] {
  const headers = [...passing(incoming.rawHeaders), "Host", host, FRONT_HEADER, secret];
  // Otherwise the runtime would use the front's address as the client's.
  if (incoming.headers["cf-connecting-ip"] === undefined)
    headers.push("CF-Connecting-IP", incoming.socket.remoteAddress ?? "");
  return headers;
}

/** The top-level names of the static assets. Paths that start with none of them belong to the Worker. */
const assetNames = () => new Set(readdirSync("public").filter((name) => !/^[_.]/.test(name)));

/** One connection per request. */
const single = new Agent({ keepAlive: false });

/**
 * workerd closes a connection after five idle seconds, and after a stall also those with waiting requests. So only reads
 * share kept connections: they can be repeated on a new one.
 */
const IDLE_MS = 4000;
const kept = new Agent({ keepAlive: true, timeout: IDLE_MS });

/** Whether a request can be sent twice without harm: it changes nothing and has no body. */
const isRepeatable = ({ method, headers }: IncomingMessage) =>
  (method === "GET" || method === "HEAD") &&
  headers["transfer-encoding"] === undefined &&
  Number(headers["content-length"] ?? 0) === 0;

/** Sends a request to the runtime and streams its answer back. */
function send(incoming: IncomingMessage, response: ServerResponse, options: RequestOptions): void {
  const outgoing = request(options, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, passing(answer.rawHeaders));
    // Without a length it may be a stream whose first event comes late; otherwise headers and body are sent together.
    if (answer.headers["content-length"] === undefined) response.flushHeaders();
    answer.pipe(response);
    answer.on("error", () => response.destroy());
  });
  outgoing.on("error", () => {
    // An answer such as 413 may come before the whole request was read; sending the rest of the request then fails.
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
 * The function that forwards requests.
 *
 * @param url the URL that the client requested
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
