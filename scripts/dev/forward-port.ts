import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { pipeline } from "node:stream";
import { isAddressUnavailable } from "../start/front.ts";

/** An end of a forwarder. */
export type TcpEndpoint = { host: string; port: number };

/**
 * Forwards connections from one address to another. Requests keep their Host, so the Worker sees the requested address.
 * Does nothing if this machine lacks the address, for example without IPv6.
 */
export async function forwardPort(from: TcpEndpoint, to: TcpEndpoint): Promise<void> {
  const server = createServer((client: Socket) => {
    const service = connect(to);
    // A connection that breaks closes the other one.
    pipeline(client, service, client, () => undefined);
  });
  server.listen({ ...from, ipv6Only: from.host === "::1" });
  await once(server, "listening").catch((problem: NodeJS.ErrnoException) => {
    if (!isAddressUnavailable(problem)) throw problem;
  });
}
