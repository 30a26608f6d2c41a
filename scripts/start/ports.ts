import { createServer } from "node:net";
import { addressesOf, isMissingAddress } from "./front.ts";

/** Resolves with the error of listening on an address; undefined if it succeeds. */
const problemOf = (port: number, address: string) =>
  new Promise<NodeJS.ErrnoException | undefined>((answer) => {
    // Disconnects clients immediately: an open connection would keep the server from closing.
    const server = createServer((socket) => socket.destroy());
    server.once("error", answer);
    server.listen({ port, host: address, ipv6Only: address === "::1" }, () =>
      server.close(() => answer(undefined)),
    );
  });

const UNKNOWN = ["ENOTFOUND", "EAI_AGAIN", "EAI_NONAME"];

/** Why the port can never be opened on this host; undefined if waiting may help. */
function refusalOf(problems: NodeJS.ErrnoException[], port: number, host: string): string | undefined {
  const codes = problems.map(({ code = "" }) => code);
  const ways = "HOST is localhost, 0.0.0.0 for all addresses of this machine, or one of them";
  if (codes.some((code) => UNKNOWN.includes(code))) return `There is no host ${host}: ${ways}`;
  if (codes.includes("EACCES"))
    return `This user may not open port ${port}: choose 1024 or higher, and let a proxy serve port ${port}`;
  const isMissing = problems.length === addressesOf(host).length && problems.every(isMissingAddress);
  return isMissing ? `This machine does not have the address ${host}: ${ways}` : undefined;
}

/**
 * Waits until a port is free on every address of the host, for at most `patience` milliseconds. Returns whether it is.
 * Throws if the port can never be opened on this host.
 */
export async function waitForPort(port: number, host: string, patience: number): Promise<boolean> {
  const deadline = Date.now() + patience;
  for (;;) {
    const tried = await Promise.all(addressesOf(host).map((address) => problemOf(port, address)));
    const problems = tried.filter((one) => one !== undefined);
    const refusal = refusalOf(problems, port, host);
    if (refusal) throw new Error(refusal);
    if (problems.every(isMissingAddress)) return true;
    if (Date.now() >= deadline) return false;
    await new Promise((wake) => setTimeout(wake, 100));
  }
}
