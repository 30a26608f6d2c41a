import ipaddr from "ipaddr.js";

/** Stands for everybody whose address is unknown or not trusted. */
export const SHARED = "shared";

/**
 * The key that stands for a client in a rate limit. IPv4-mapped addresses are unwrapped; IPv6 is cut to its
 * /64, because one subscriber owns at least that many addresses (RFC 6177).
 *
 * @param header the value of CF-Connecting-IP, which only Cloudflare's edge makes trustworthy
 * @param trusted whether this deployment trusts the header
 */
export function clientAddress(header: string | undefined, trusted: boolean): string {
  if (!trusted || !header || !ipaddr.isValid(header)) return SHARED;
  const address = ipaddr.process(header);
  if (address.kind() === "ipv4") return address.toString();
  const network = address.toByteArray().slice(0, 8);
  return `${ipaddr.fromByteArray([...network, 0, 0, 0, 0, 0, 0, 0, 0]).toString()}/64`;
}
