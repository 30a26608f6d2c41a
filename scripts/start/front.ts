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

// The two ports of a self-hosted copy. Miniflare, which runs the Worker, trusts headers and serves paths that are meant
// for developers only, and has no option against that, so its own port stays behind this.

/** Where the requests go. */
export type Target = { port: number; secret: string };

/** Hop-by-hop headers (RFC 9110 section 7.6.1), and those that are set or handled here. */
const OWN_HEADERS =
  /^(connection|keep-alive|proxy-connection|te|trailer|upgrade|expect|host|mf-.*|x-mf-.*|x-front-secret)$/i;

const HEADERS = {
  "Content-Type": "application/json",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
};

type Refusal = { status: number; detail: string };

function refuse(response: ServerResponse, { status, detail }: Refusal): void {
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

/** The path and query as the Worker will read them; undefined if the request target is not a path. */
function pathOf(target: string): string | undefined {
  const url = `http://localhost${target}`;
  if (!target.startsWith("/") || !URL.canParse(url)) return undefined;
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** Whether a path is one of Miniflare's own, in any spelling. */
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
  // The Worker would answer the same before it has read the body; workerd then resets the connection.
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
  // Otherwise Miniflare would use the front's address as the client's.
  if (incoming.headers["cf-connecting-ip"] === undefined)
    headers.push("CF-Connecting-IP", incoming.socket.remoteAddress ?? "");
  return headers;
}

/** Forwards a request and streams its answer back. */
function forward(incoming: IncomingMessage, response: ServerResponse, options: object): void {
  const outgoing = request(options, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, passing(answer.rawHeaders));
    // Without a length it may be a stream whose first event comes late; otherwise headers and body are sent together.
    if (answer.headers["content-length"] === undefined) response.flushHeaders();
    answer.pipe(response);
    answer.on("error", () => response.destroy());
  });
  outgoing.on("error", () => {
    // An answer such as 413 may come before the whole request was read; sending the rest of the request then fails.
    if (!response.headersSent)
      refuse(response, { status: 503, detail: "The service is restarting: try again in a moment" });
  });
  response.on("close", () => {
    outgoing.destroy();
    incoming.resume();
  });
  incoming.pipe(outgoing);
}

/** A server that forwards what is meant for the service. */
function createFront({ port, secret }: Target, names: string[]): Server {
  // No keep-alive: workerd closes idle connections, and after a stall of 40 seconds it also closed some with requests
  // waiting.
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

/** Every address that a host setting stands for: programs may resolve `localhost` to either. */
export const addressesOf = (host: string): string[] => (host === "localhost" ? ["127.0.0.1", "::1"] : [host]);

/** Whether this machine cannot have the address at all, for example without IPv6. */
export const isMissingAddress = (problem: NodeJS.ErrnoException) =>
  problem.code === "EADDRNOTAVAIL" || problem.code === "EAFNOSUPPORT";

function listen(server: Server, port: number, address: string): Promise<void> {
  return new Promise((ready, failed) => {
    server.once("error", (problem) => (isMissingAddress(problem) ? ready() : failed(problem)));
    server.listen({ port, host: address, ipv6Only: address === "::1" }, ready);
  });
}

/**
 * Opens the service's ports. Throws if one of them is taken.
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
