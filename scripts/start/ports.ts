import { createServer } from "node:net";
import { isAddressUnavailable, listenAddresses } from "./front.ts";

/** Resolves with the error of listening on an address; undefined if it succeeds. */
const tryListen = (port: number, address: string) =>
  new Promise<NodeJS.ErrnoException | undefined>((answer) => {
    // Disconnects clients immediately: an open connection would keep the server from closing.
    const server = createServer((socket) => socket.destroy());
    server.once("error", answer);
    server.listen({ port, host: address, ipv6Only: address === "::1" }, () =>
      server.close(() => answer(undefined)),
    );
  });

const UNKNOWN_HOST_CODES = ["ENOTFOUND", "EAI_AGAIN", "EAI_NONAME"];

/** Why the port can never be opened on this host; undefined if waiting may help. */
function permanentProblem(problems: NodeJS.ErrnoException[], port: number, host: string): string | undefined {
  const codes = problems.map(({ code = "" }) => code);
  const hint = "HOST is localhost, 0.0.0.0 for all addresses of this machine, or one of them";
  if (codes.some((code) => UNKNOWN_HOST_CODES.includes(code))) return `There is no host ${host}: ${hint}`;
  if (codes.includes("EACCES"))
    return `This user may not open port ${port}: choose 1024 or higher, and let a proxy serve port ${port}`;
  const isMissing = problems.length === listenAddresses(host).length && problems.every(isAddressUnavailable);
  return isMissing ? `This machine does not have the address ${host}: ${hint}` : undefined;
}

/**
 * Waits until a port is free on every address of the host, for at most `patience` milliseconds. Returns whether it is.
 * Throws if the port can never be opened on this host.
 */
export async function waitForPort(port: number, host: string, patience: number): Promise<boolean> {
  const deadline = Date.now() + patience;
  for (;;) {
    const results = await Promise.all(listenAddresses(host).map((address) => tryListen(port, address)));
    const problems = results.filter((one) => one !== undefined);
    const permanent = permanentProblem(problems, port, host);
    if (permanent) throw new Error(permanent);
    if (problems.every(isAddressUnavailable)) return true;
    if (Date.now() >= deadline) return false;
    await new Promise((wake) => setTimeout(wake, 100));
  }
}
