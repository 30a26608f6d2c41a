import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import { BODY_LIMIT, MAX_BODY_BYTES, takesAnySize } from "../../src/core/body-limit.ts";
import { FRONT_HEADER } from "../../src/core/front.ts";
import { isKnownHost, UNKNOWN_HOST } from "../../src/core/hosts.ts";

// The two ports of a self-hosted copy. Miniflare, which runs the Worker, believes headers and serves paths that are for
// developers only, and cannot be told otherwise, so its own port stays behind this.

/** Where the requests go. */
export type Target = { port: number; secret: string };

/** Headers of one connection (RFC 9110 section 7.6.1), and those that are set or answered here. */
const OWN_HEADERS =
  /^(connection|keep-alive|proxy-connection|te|trailer|upgrade|expect|host|mf-.*|x-mf-.*|x-front-secret)$/i;

const HEADERS = {
  "Content-Type": "application/json",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
};

type Refusal = { status: number; detail: string };

function refuse(response: ServerResponse, { status, detail }: Refusal): void {
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

/** The path and query as the Worker will read them; undefined when the request target is not a path. */
function pathOf(target: string): string | undefined {
  const url = `http://localhost${target}`;
  if (!target.startsWith("/") || !URL.canParse(url)) return undefined;
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** Whether a path is Miniflare's own, in whatever way it is written. */
function isForDevelopers(path: string): boolean {
  const plain = path.replace(/%([0-9a-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return /^[/\\]+(cdn-cgi|__cf_local)([/\\?]|$)/i.test(plain);
}

function findRefusal(
  incoming: IncomingMessage,
  path: string | undefined,
  names: string[],
): Refusal | undefined {
  if (!isKnownHost(incoming.headers.host, names)) return { status: 421, detail: UNKNOWN_HOST };
  if (path === undefined) return { status: 400, detail: "The request target must be a path" };
  if (isForDevelopers(path)) return { status: 404, detail: "Not found" };
  // The Worker would answer the same before it has read the body, and workerd then resets the connection.
  if (Number(incoming.headers["content-length"]) > MAX_BODY_BYTES && !takesAnySize(path))
    return { status: 413, detail: `The request body is larger than ${BODY_LIMIT}` };
  return undefined;
}

/** The headers that the Worker gets: the client's own, the front's secret, and the client's address. */
function headersFor(incoming: IncomingMessage, secret: string): string[] {
  const headers = [
    ...passing(incoming.rawHeaders),
    "Host",
    incoming.headers.host ?? "",
    FRONT_HEADER,
    secret,
  ];
  // Miniflare would take the front's address for the client's.
  if (incoming.headers["cf-connecting-ip"] === undefined)
    headers.push("CF-Connecting-IP", incoming.socket.remoteAddress ?? "");
  return headers;
}

/** Passes one request on and streams its answer back. */
function forward(incoming: IncomingMessage, response: ServerResponse, options: object): void {
  const outgoing = request(options, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, passing(answer.rawHeaders));
    // Without a length it may be a stream whose first event is far away; otherwise headers and body leave together.
    if (answer.headers["content-length"] === undefined) response.flushHeaders();
    answer.pipe(response);
    answer.on("error", () => response.destroy());
  });
  outgoing.on("error", () => {
    // An answer may come before the whole request was read, as a 413 does; sending the rest of the request then fails.
    if (!response.headersSent)
      refuse(response, { status: 503, detail: "The service is restarting: try again in a moment" });
  });
  response.on("close", () => {
    outgoing.destroy();
    incoming.resume();
  });
  incoming.pipe(outgoing);
}

/** A server that lets through what is meant for the service. */
function createFront({ port, secret }: Target, names: string[]): Server {
  // A connection for each request: workerd closes idle ones, and after a stall of 40 seconds it also closed those on
  // which requests were waiting.
  const agent = new Agent({ keepAlive: false });
  const server = createServer((incoming, response) => {
    const path = pathOf(incoming.url ?? "");
    const refusal = findRefusal(incoming, path, names);
    if (refusal) return refuse(response, refusal);
    const headers = headersFor(incoming, secret);
    forward(incoming, response, { agent, host: "127.0.0.1", port, path, method: incoming.method, headers });
  });
  // A large import takes longer than the five minutes that Node gives a request.
  server.requestTimeout = 0;
  return server;
}

/** Every address that a host setting stands for: a program that asks for `localhost` may mean either. */
export const addressesOf = (host: string): string[] => (host === "localhost" ? ["127.0.0.1", "::1"] : [host]);

/** Whether this machine cannot have the address at all, as one without IPv6. */
export const isMissingAddress = (problem: NodeJS.ErrnoException) =>
  problem.code === "EADDRNOTAVAIL" || problem.code === "EAFNOSUPPORT";

function listen(server: Server, port: number, address: string): Promise<void> {
  return new Promise((ready, failed) => {
    server.once("error", (problem) => (isMissingAddress(problem) ? ready() : failed(problem)));
    server.listen({ port, host: address, ipv6Only: address === "::1" }, ready);
  });
}

/**
 * Opens the service's ports. Throws when one of them is taken.
 *
 * @param names the host names under which the service answers, besides localhost and IP addresses
 */
export async function openFront(
  { host, ports, names }: { host: string; ports: number[]; names: string[] },
  target: Target,
): Promise<Server[]> {
  const servers: Server[] = [];
  for (const port of ports) {
    for (const address of addressesOf(host)) {
      const server = createFront(target, names);
      await listen(server, port, address);
      servers.push(server);
    }
  }
  return servers;
}
