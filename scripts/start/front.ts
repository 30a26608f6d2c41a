import { createServer, type IncomingMessage, type Server } from "node:http";
import { BODY_LIMIT, MAX_BODY_BYTES, takesAnySize } from "../../src/core/body-limit.ts";
import { isKnownHost, UNKNOWN_HOST } from "../../src/contract/hosts.ts";
import { forwarder, type Refusal, refuse, type Target } from "./forward.ts";

// The two ports of a self-hosted copy. Miniflare, which runs the Worker, trusts headers and serves paths that are meant
// for developers only, and has no option against that, so its own port stays behind this.

/**
 * The URL of a request; undefined if the request target is not a path. A proxy in front states the client's protocol in
 * X-Forwarded-Proto.
 */
function urlOf({ url = "", headers }: IncomingMessage): URL | undefined {
  const protocol = /^\s*https\s*(,|$)/i.test(String(headers["x-forwarded-proto"])) ? "https" : "http";
  const address = `${protocol}://${headers.host}${url}`;
  return url.startsWith("/") && URL.canParse(address) ? new URL(address) : undefined;
}

/** Whether a path is one of Miniflare's own, in any spelling. */
function isForDevelopers(path: string): boolean {
  const plain = path.replace(/%([0-9a-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return /^[/\\]+(cdn-cgi|__cf_local)([/\\?]|$)/i.test(plain);
}

function findRefusal({ headers }: IncomingMessage, url: URL): Refusal | undefined {
  if (isForDevelopers(url.pathname)) return { status: 404, detail: "Not found" };
  // The Worker would answer the same before it has read the body; workerd then resets the connection.
  if (Number(headers["content-length"]) > MAX_BODY_BYTES && !takesAnySize(url.pathname))
    return { status: 413, detail: `The request body is larger than ${BODY_LIMIT}` };
  return undefined;
}

/** A server that forwards what is meant for the service. */
function createFront(target: Target, names: string[]): Server {
  const forward = forwarder(target);
  const server = createServer((incoming, response) => {
    if (!isKnownHost(incoming.headers.host, names))
      return refuse(response, { status: 421, detail: UNKNOWN_HOST });
    const url = urlOf(incoming);
    if (!url) return refuse(response, { status: 400, detail: "The request target must be a path" });
    const refusal = findRefusal(incoming, url);
    if (refusal) return refuse(response, refusal);
    forward(incoming, response, url);
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
