import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A small server on this machine. */
export type Loopback = { url: string; close: () => Promise<void> };

export const listen = (server: Server): Promise<Loopback> =>
  new Promise((ready) => {
    server.listen(0, "localhost", () => {
      const { port } = server.address() as AddressInfo;
      ready({
        url: `http://localhost:${port}`,
        close: () =>
          new Promise((done) => {
            server.closeAllConnections();
            server.close(() => done());
          }),
      });
    });
  });

/** The address at which a client receives the browser's redirect. */
export const callbackServer = (): Promise<Loopback> =>
  listen(createServer((_, response) => response.end("You can close this page.")));

/** Forwards every request to the service with a token, for a program that sends none. */
export function tokenProxy(target: string, token: string): Promise<Loopback> {
  const { hostname, port, host, origin } = new URL(target);
  const server = createServer((incoming, response) => {
    const own = `localhost:${(server.address() as AddressInfo).port}`;
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
    if (headers.host === own) headers.host = host;
    if (headers.origin === `http://${own}`) headers.origin = origin;
    const options = { hostname, port, path: incoming.url, method: incoming.method, headers };
    const outgoing = request(options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on("error", () => response.destroy());
    response.on("close", () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  return listen(server);
}
