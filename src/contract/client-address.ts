import ipaddr from "ipaddr.js";

/** Stands for everybody whose address is unknown or not trusted. */
export const SHARED = "shared";

/** A rate limit key. `header` is CF-Connecting-IP; IPv6 is cut to its /64, which one subscriber owns (RFC 6177). */
export function clientAddress(header: string | undefined, trusted: boolean): string {
  if (!trusted || !header || !ipaddr.isValid(header)) return SHARED;
  const address = ipaddr.process(header);
  if (address.kind() === "ipv4") return address.toString();
  const network = address.toByteArray().slice(0, 8);
  return `${ipaddr.fromByteArray([...network, 0, 0, 0, 0, 0, 0, 0, 0]).toString()}/64`;
}
