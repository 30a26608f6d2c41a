import type { Server, Socket } from "node:net";
import ipaddr from "ipaddr.js";
import { clientAddress } from "../../src/contract/client-address.ts";

// Limits concurrent connections: each takes up to three file descriptors and a request in the Worker.

/** The most concurrent connections, in total and from one address. */
export type ConnectionLimits = { connections: number; perAddress: number };

/** Counts connections, in total and by address. */
export class ConnectionCounter {
  #all = 0;
  readonly #own = new Map<string, number>();
  readonly #limits: ConnectionLimits;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /** Counts a connection; false if there are too many. Loopback has no limit of its own: it may be a proxy. */
  add(address: string): boolean {
    const fromAddress = (this.#own.get(addressKey(address)) ?? 0) + 1;
    const limit = isLoopback(address) ? this.#limits.connections : this.#limits.perAddress;
    if (this.#all >= this.#limits.connections || fromAddress > limit) return false;
    this.#all++;
    this.#own.set(addressKey(address), fromAddress);
    return true;
  }

  remove(address: string): void {
    const left = (this.#own.get(addressKey(address)) ?? 1) - 1;
    this.#all--;
    if (left > 0) this.#own.set(addressKey(address), left);
    else this.#own.delete(addressKey(address));
  }
}

const addressKey = (address: string) => clientAddress(address, true);
const isLoopback = (address: string) =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === "loopback";

/** Closes the connections to a server beyond the limits. */
export function limitConnections(server: Server, crowd: ConnectionCounter): void {
  server.on("connection", (socket: Socket) => {
    const address = socket.remoteAddress ?? "";
    if (crowd.add(address)) socket.once("close", () => crowd.remove(address));
    else socket.destroy();
  });
}
