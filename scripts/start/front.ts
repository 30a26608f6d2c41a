import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { MAX_BODY_BYTES } from "../../src/contract/body-limit.ts";
import { isKnownHost, UNKNOWN_HOST_MESSAGE } from "../../src/contract/hosts.ts";
import { configuredVars, type ServiceSettings } from "../common/settings.ts";
import { type ClientTimeouts, endWhenIdle, endWhenSlow } from "./client-timeouts.ts";
import { ConnectionCounter, type ConnectionLimits, limitConnections } from "./connection-limits.ts";
import { createForwarder, type RuntimeTarget } from "./forward.ts";
import { type ErrorResponse, sendError } from "./send-error.ts";

/**
 * Whether a path accepts bodies of any size: imports, files and parts of files, which are read as streams. The front
 * does not know the Worker's operations, so `test/house/rules.test.ts` checks this pattern against them.
 */
export const takesAnySize = (path: string): boolean =>
  /^\/api\/import([/?]|$)|^\/api\/files\/?$|^\/api\/files\/[^/]+\/parts\/[^/]+$/.test(path);

// The two public ports of a self-hosted copy. Miniflare, which runs the Worker, trusts headers and serves developer
// paths, and cannot be configured not to. So its own port is on loopback, behind this front.

const DISK_FULL: ErrorResponse = {
  status: 503,
  detail: "The service's disk has no space for this request. Nothing was changed",
  headers: { "Error-Code": "disk_full", "Retry-After": "60" },
};

/** How much time and how many connections a client may take. */
export type FrontLimits = ClientTimeouts & ConnectionLimits;

const DEFAULT_LIMITS: FrontLimits = { idleMs: 60_000, totalMs: 300_000, connections: 2000, perAddress: 400 };

/** The limits of a copy. Behind a proxy that reports client addresses, one address stands for all clients. */
export const frontLimits = ({ vars }: Pick<ServiceSettings, "vars">): FrontLimits =>
  vars.TRUST_CLIENT_IP === "true"
    ? { ...DEFAULT_LIMITS, perAddress: DEFAULT_LIMITS.connections }
    : DEFAULT_LIMITS;

/** The origins whose pages may call the API of a copy. */
export const corsOrigins = ({ vars }: Pick<ServiceSettings, "vars">): string[] =>
  ({ ...configuredVars(), ...vars }).CORS_ORIGINS?.split(",").map((origin) => origin.trim()) ?? [];

/** The URL of a request; undefined if the request target is not a path. */
function requestUrl({ url = "", headers }: IncomingMessage): URL | undefined {
  const protocol = /^\s*https\s*(,|$)/i.test(String(headers["x-forwarded-proto"])) ? "https" : "http";
  const address = `${protocol}://${headers.host}${url}`;
  return url.startsWith("/") && URL.canParse(address) ? new URL(address) : undefined;
}

/** Whether a path is one of Miniflare's developer paths, in any encoding. */
function isMiniflarePath(path: string): boolean {
  const plain = path.replace(/%([0-9a-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return /^[/\\]+(cdn-cgi|__cf_local)([/\\?]|$)/i.test(plain);
}

function findRejection(
  { headers }: IncomingMessage,
  url: URL | undefined,
  hostNames: string[],
  disk: RuntimeTarget["disk"],
): ErrorResponse | undefined {
  if (!isKnownHost(headers.host, hostNames)) return { status: 421, detail: UNKNOWN_HOST_MESSAGE };
  if (!url) return { status: 400, detail: "The request target must be a path" };
  if (isMiniflarePath(url.pathname)) return { status: 404, detail: "Not found" };
  // The Worker would give the same answer before it has read the body, and workerd would then reset the connection.
  const bytes = Number(headers["content-length"] ?? 0);
  if (bytes <= MAX_BODY_BYTES) return undefined;
  if (!takesAnySize(url.pathname)) return { status: 413, detail: "The request body is larger than 1 MiB" };
  if (disk && !disk.hasRoomFor(bytes)) return DISK_FULL;
  return undefined;
}

/** Longer than proxies keep an idle connection (Caddy: two minutes), so that the proxy closes it first. */
const KEEP_ALIVE_MS = 150_000;

type Handler = (incoming: IncomingMessage, response: ServerResponse) => void;

/** Handles one request per connection at a time, because a client may pipeline hundreds. */
function oneAtATime(handle: Handler): Handler {
  const last = new WeakMap<Socket, ServerResponse>();
  return (incoming, response) => {
    const { socket } = incoming;
    const previous = last.get(socket);
    last.set(socket, response);
    if (!previous || previous.closed) return handle(incoming, response);
    previous.once("close", () => socket.destroyed || handle(incoming, response));
  };
}

function createFrontServer(
  target: RuntimeTarget,
  hostNames: string[],
  { idleMs, totalMs }: ClientTimeouts,
): Server {
  const forward = createForwarder(target);
  const answer: Handler = (incoming, response) => {
    const url = requestUrl(incoming);
    const limitDuration = () => endWhenSlow(incoming, response, totalMs);
    endWhenIdle(incoming, response, idleMs);
    // A body of any size is timed only once its request is answered: what still arrives is then discarded.
    if (url && takesAnySize(url.pathname)) response.once("close", limitDuration);
    else limitDuration();
    const error = findRejection(incoming, url, hostNames, target.disk);
    if (error) sendError(response, error, target.origins);
    else if (url) forward(incoming, response, url);
  };
  const server = createServer(oneAtATime(answer));
  // Closes an idle connection, unless the listeners of endWhenIdle decide otherwise.
  server.timeout = idleMs;
  // A request sent while its connection is being closed would be lost.
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  // A large import takes longer than Node's limit of five minutes. endWhenSlow ends the other requests.
  server.requestTimeout = 0;
  return server;
}

/** The addresses to listen on for a HOST: programs may resolve `localhost` to either address. */
export const listenAddresses = (host: string): string[] =>
  host === "localhost" ? ["127.0.0.1", "::1"] : [host];

/** Whether this machine does not have the address, for example without IPv6. */
export const isAddressUnavailable = (problem: NodeJS.ErrnoException) =>
  problem.code === "EADDRNOTAVAIL" || problem.code === "EAFNOSUPPORT";

function listen(server: Server, port: number, address: string): Promise<void> {
  return new Promise((ready, failed) => {
    server.once("error", (problem) => (isAddressUnavailable(problem) ? ready() : failed(problem)));
    server.listen({ port, host: address, ipv6Only: address === "::1" }, ready);
  });
}

/** Where the front listens. `hostNames` are its names besides localhost and IP addresses. */
export type ListenOptions = { host: string; ports: number[]; hostNames: string[] };

/** Opens the service's ports. Throws if one is taken. */
export async function openFront(
  { host, ports, hostNames }: ListenOptions,
  target: RuntimeTarget,
  limits: Partial<FrontLimits> = {},
): Promise<Server[]> {
  const all = { ...DEFAULT_LIMITS, ...limits };
  const counter = new ConnectionCounter(all);
  const servers: Server[] = [];
  for (const port of ports) {
    for (const address of listenAddresses(host)) {
      const server = createFrontServer(target, hostNames, all);
      limitConnections(server, counter);
      await listen(server, port, address);
      servers.push(server);
    }
  }
  return servers;
}
