import ipaddr from "ipaddr.js";

/** The key shared by all clients whose address is unknown or untrusted. */
export const SHARED_ADDRESS = "shared";

/** The rate limit key of a client. `header` is CF-Connecting-IP. IPv6 is cut to the /64 of one subscriber (RFC 6177). */
export function clientAddress(header: string | undefined, trusted: boolean): string {
  if (!trusted || !header || !ipaddr.isValid(header)) return SHARED_ADDRESS;
  const address = ipaddr.process(header);
  if (address.kind() === "ipv4") return address.toString();
  const network = address.toByteArray().slice(0, 8);
  return `${ipaddr.fromByteArray([...network, 0, 0, 0, 0, 0, 0, 0, 0]).toString()}/64`;
}
