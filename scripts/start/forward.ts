import { readdirSync } from "node:fs";
import { Agent, type IncomingMessage, type RequestOptions, request, type ServerResponse } from "node:http";
import { pipeline } from "node:stream";
import { DISK_STATE_HEADER, FRONT_SECRET_HEADER } from "../../src/contract/hosts.ts";
import { prepareDelivery, stripCodingFromTags } from "./compress.ts";
import type { StateDisk } from "./disk.ts";
import { type ErrorResponse, sendError } from "./send-error.ts";

// Forwards requests to the runtime and streams its answers back.

/** The runtime's ports on loopback, and the secret that the Worker requires. */
export type RuntimeTarget = {
  /** Reaches the Worker directly; accepts absolute request targets, as a proxy does (RFC 9112 section 3.2.2). */
  worker: number;
  /** Reaches Miniflare, which answers static assets and runs the cron handler. */
  miniflare: number;
  secret: string;
  origins?: string[];
  disk?: Pick<StateDisk, "state" | "hasRoomFor">;
};

/** Headers that are not forwarded: hop-by-hop ones (RFC 9110 section 7.6.1), and those that the front sets. */
const FRONT_HEADERS =
  /^(connection|keep-alive|proxy-connection|te|trailer|upgrade|expect|host|mf-.*|x-mf-.*|x-front-.*)$/i;

const BODY_HEADERS = /^(content-length|transfer-encoding)$/i;

/** Removes headers by name; names and values alternate in `raw`. */
const withoutHeaders = (raw: string[], names: RegExp) =>
  raw.flatMap((name, index) => (index % 2 === 0 && !names.test(name) ? [name, raw[index + 1] ?? ""] : []));

const forwardedHeaders = (raw: string[]) => withoutHeaders(raw, FRONT_HEADERS);

const PRECONDITIONS = /^if-(none-)?match$/i;

/** Replaces ETags by the ones that the Worker knows. */
const withPlainTags = (raw: string[]) =>
  raw.map((text, index) =>
    index % 2 === 1 && PRECONDITIONS.test(raw[index - 1] ?? "") ? stripCodingFromTags(text) : text,
  );

const frontHeaders = ({ secret, disk }: Pick<RuntimeTarget, "secret" | "disk">): Record<string, string> => ({
  [FRONT_SECRET_HEADER]: secret,
  ...(disk?.state && { [DISK_STATE_HEADER]: disk.state }),
});

/** The headers for the Worker: the client's, the front's, and the client's address. */
function headersFor(incoming: IncomingMessage, host: string, target: RuntimeTarget): string[] {
  const own = isReadRequest(incoming)
    ? withoutHeaders(incoming.rawHeaders, BODY_HEADERS)
    : incoming.rawHeaders;
  const headers = [
    ...withPlainTags(forwardedHeaders(own)),
    "Host",
    host,
    ...Object.entries(frontHeaders(target)).flat(),
  ];
  // Otherwise the runtime would use the front's address as the client's.
  if (incoming.headers["cf-connecting-ip"] === undefined)
    headers.push("CF-Connecting-IP", incoming.socket.remoteAddress ?? "");
  return headers;
}

/** The top-level names of the static assets. All other paths belong to the Worker. */
const assetNames = () => new Set(readdirSync("public").filter((name) => !/^[_.]/.test(name)));

const singleUseAgent = new Agent({ keepAlive: false });

/**
 * workerd closes a connection after five idle seconds, and after a stall even one with a waiting request. So only reads
 * share connections: they can be retried on a new one.
 */
const IDLE_MS = 4000;
const keepAliveAgent = new Agent({ keepAlive: true, timeout: IDLE_MS });

/** Whether a request can be sent twice. Its body has no meaning (RFC 9110 section 9.3.1). */
const isReadRequest = ({ method }: IncomingMessage) => method === "GET" || method === "HEAD";

const RESTARTING: ErrorResponse = { status: 503, detail: "The service is restarting: try again in a moment" };

function send(
  incoming: IncomingMessage,
  response: ServerResponse,
  options: RequestOptions,
  origins?: string[],
): void {
  const outgoing = request(options, (answer) => {
    const { headers, coder, body } = prepareDelivery(incoming, answer, forwardedHeaders(answer.rawHeaders));
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, headers);
    // Without a length it may be a stream whose first event comes late. Otherwise headers and body are sent together.
    if (answer.headers["content-length"] === undefined) response.flushHeaders();
    if (body) {
      answer.resume();
      return void response.end(body);
    }
    // An answer that breaks off closes the connection, so that the part sent does not look complete.
    if (coder) return void pipeline(answer, coder, response, () => undefined);
    answer.pipe(response);
    answer.on("error", () => response.destroy());
  });
  outgoing.on("error", () => {
    // An answer such as 413 may come before the request was read. Sending the rest then fails.
    if (response.headersSent || response.destroyed) return;
    if (outgoing.reusedSocket) send(incoming, response, { ...options, agent: singleUseAgent }, origins);
    else sendError(response, RESTARTING, origins);
  });
  response.on("close", () => {
    outgoing.destroy();
    incoming.resume();
  });
  if (isReadRequest(incoming)) {
    outgoing.end();
    incoming.resume();
    return;
  }
  // Node sends the headers with the body's first byte, and workerd closes a connection that is silent for 15 seconds.
  outgoing.flushHeaders();
  incoming.pipe(outgoing);
}

/** Returns the function that forwards requests; its `url` is the URL that the client requested. */
export function createForwarder(target: RuntimeTarget) {
  const { worker, miniflare } = target;
  const assets = assetNames();
  return (incoming: IncomingMessage, response: ServerResponse, url: URL): void => {
    const path = url.pathname + url.search;
    const isAsset = assets.has(url.pathname.split("/", 2)[1] ?? "");
    const options = {
      agent: isReadRequest(incoming) ? keepAliveAgent : singleUseAgent,
      host: "127.0.0.1",
      method: incoming.method,
      ...(isAsset ? { port: miniflare, path } : { port: worker, path: url.origin + path }),
      headers: headersFor(incoming, url.host, target),
    };
    send(incoming, response, options, target.origins);
  };
}
