import ipaddr from "ipaddr.js";

// Which hosts the service may send requests to on behalf of somebody.

/** Names that mean this machine or its network (RFC 6761, RFC 6762, RFC 8375, RFC 9476; ICANN for `internal`). */
const LOCAL_NAMES = [
  "localhost",
  "local",
  "internal",
  "intranet",
  "private",
  "corp",
  "home",
  "lan",
  "arpa",
  "alt",
  "onion",
  "test",
  "invalid",
];

const unbracketed = (host: string) => host.replace(/^\[|\]$/g, "");

/**
 * Whether a host is public as far as its name tells: a domain name with a dot that does not mean a local network, or a
 * unicast address that is not reserved (RFC 6890). What a name resolves to cannot be seen from here.
 *
 * @param host as normalized by `URL`, so that no spelling of an address is missed
 */
export function isPublicHost(host: string): boolean {
  const name = unbracketed(host).replace(/\.$/, "");
  if (ipaddr.isValid(name)) return ipaddr.process(name).range() === "unicast";
  const labels = name.split(".");
  return labels.length > 1 && !labels.includes("") && !LOCAL_NAMES.includes(labels.at(-1) ?? "");
}
