import ipaddr, { type IPv4, type IPv6 } from "ipaddr.js";

/** Names of this machine or its network (RFC 6761, RFC 6762, RFC 8375, RFC 9476; ICANN for `internal`). */
const LOCAL_NAMES =
  "localhost local internal intranet private corp home lan arpa alt onion test invalid".split(" ");

const unbracketed = (host: string) => host.replace(/^\[|\]$/g, "");

/** An IPv4-compatible IPv6 address, which RFC 4291 section 2.5.5.1 has deprecated. */
const isCompatible = (address: IPv4 | IPv6) =>
  address.kind() === "ipv6" && address.match(ipaddr.parseCIDR("::/96"));

/**
 * Whether a host (normalized by `URL`) is public by its name: a dotted domain, or a unicast address that is not
 * reserved (RFC 6890). A Worker cannot see what a name resolves to.
 */
export function isPublicHost(host: string): boolean {
  const name = unbracketed(host).replace(/\.$/, "");
  if (ipaddr.isValid(name)) {
    const address = ipaddr.process(name);
    return address.range() === "unicast" && !isCompatible(address);
  }
  const labels = name.split(".");
  return labels.length > 1 && !labels.includes("") && !LOCAL_NAMES.includes(labels.at(-1) ?? "");
}
