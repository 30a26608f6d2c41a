import type { Server, Socket } from "node:net";
import ipaddr from "ipaddr.js";
import { clientAddress } from "../../src/contract/client-address.ts";

// How many connections there may be at once: each takes up to three descriptors, and a request of the Worker.

/** Numbers of connections. */
export type CrowdLimits = { connections: number; perAddress: number };

/** Counts connections, all of them and those of each address. */
export class Crowd {
  #all = 0;
  readonly #own = new Map<string, number>();
  readonly #limits: CrowdLimits;

  constructor(limits: CrowdLimits) {
    this.#limits = limits;
  }

  /** Counts a connection, unless there are too many. Behind this machine's own address there may be a proxy. */
  enter(address: string): boolean {
    const own = (this.#own.get(keyOf(address)) ?? 0) + 1;
    const most = isLoopback(address) ? this.#limits.connections : this.#limits.perAddress;
    if (this.#all >= this.#limits.connections || own > most) return false;
    this.#all++;
    this.#own.set(keyOf(address), own);
    return true;
  }

  /** Takes back what `enter` counted. */
  leave(address: string): void {
    const left = (this.#own.get(keyOf(address)) ?? 1) - 1;
    this.#all--;
    if (left > 0) this.#own.set(keyOf(address), left);
    else this.#own.delete(keyOf(address));
  }
}

const keyOf = (address: string) => clientAddress(address, true);
const isLoopback = (address: string) =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === "loopback";

/** Closes the connections to a server that are too many. */
export function limitCrowd(server: Server, crowd: Crowd): void {
  server.on("connection", (socket: Socket) => {
    const address = socket.remoteAddress ?? "";
    if (crowd.enter(address)) socket.once("close", () => crowd.leave(address));
    else socket.destroy();
  });
}
