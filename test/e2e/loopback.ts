import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, Server as TcpServer } from "node:net";

/** A small server on this machine. */
export type Loopback = { url: string; port: number; close: () => Promise<void> };

/** Starts a server on a free port. */
export async function listen(server: Server | TcpServer): Promise<Loopback> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    if ("closeAllConnections" in server) server.closeAllConnections();
    await new Promise((done) => server.close(done));
  };
  return { url: `http://localhost:${port}`, port, close };
}

/** The address at which a client receives the browser's redirect. */
export const callbackServer = (): Promise<Loopback> =>
  listen(createServer((_, response) => response.end("You can close this page.")));

type Meddling = { headers?: IncomingHttpHeaders; isLost?: boolean };

/**
 * Hands requests on to a service. For each, `meddle` answers it itself, or says with which headers it is sent and whether its
 * answer is lost.
 */
export function proxyTo(
  target: string,
  meddle: (incoming: IncomingMessage, response: ServerResponse) => Meddling | "answered",
): Promise<Loopback> {
  const { hostname, port } = new URL(target);
  const server = createServer((incoming, response) => {
    const meddling = meddle(incoming, response);
    if (meddling === "answered") return;
    const { url: path, method } = incoming;
    const headers = meddling.headers ?? incoming.headers;
    const outgoing = request({ hostname, port, path, method, headers }, (answer) => {
      if (meddling.isLost) return answer.resume().on("end", () => response.destroy());
      return answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.headers));
    });
    outgoing.on("error", () => response.destroy());
    response.on("close", () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  return listen(server);
}

/** Hands requests on with a token, for a program that sends none. */
export function tokenProxy(target: string, token: string): Promise<Loopback> {
  const { host, origin } = new URL(target);
  return proxyTo(target, ({ headers }) => ({
    headers: {
      ...{ ...headers, host: headers.host?.replace(/^localhost:\d+$/, host) },
      ...(headers.origin && { origin: headers.origin.replace(/^http:\/\/localhost:\d+$/, origin) }),
      authorization: `Bearer ${token}`,
    },
  }));
}
