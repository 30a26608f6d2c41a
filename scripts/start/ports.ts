import { createServer } from "node:net";
import { addressesOf, isMissingAddress } from "./front.ts";

const isFree = (port: number, address: string) =>
  new Promise<boolean>((answer) => {
    // Disconnects clients at once: an open connection would keep the server from closing.
    const server = createServer((socket) => socket.destroy());
    server.once("error", (problem) => answer(isMissingAddress(problem)));
    server.listen({ port, host: address, ipv6Only: address === "::1" }, () =>
      server.close(() => answer(true)),
    );
  });

/**
 * Waits until a port is free on every address of the host, for at most `patience` milliseconds; returns whether it is.
 */
export async function waitForPort(port: number, host: string, patience: number): Promise<boolean> {
  const deadline = Date.now() + patience;
  for (;;) {
    const free = await Promise.all(addressesOf(host).map((address) => isFree(port, address)));
    if (free.every(Boolean)) return true;
    if (Date.now() >= deadline) return false;
    await new Promise((wake) => setTimeout(wake, 100));
  }
}
