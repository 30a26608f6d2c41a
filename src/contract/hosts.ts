export const FRONT_SECRET_HEADER = "X-Front-Secret";
/** `full` or `failing`: the state of the disk. Absent while it works. */
export const DISK_STATE_HEADER = "X-Front-Disk";

export const UNKNOWN_HOST_MESSAGE =
  "The service does not answer requests for this host name. If it is yours, add it to ALLOWED_HOSTS, API_URL or MCP_URL";

const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i;
const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;

/** The host name in a Host header, in lower case and without the port; undefined if the header is malformed. */
function hostnameOf(host: string): string | undefined {
  const url = `http://${host}`;
  return HOST.test(host) && URL.canParse(url) ? new URL(url).hostname : undefined;
}

export function knownHostNames(settings: {
  API_URL: string;
  MCP_URL: string;
  ALLOWED_HOSTS: string;
}): string[] {
  const addresses = [settings.API_URL, settings.MCP_URL].filter(Boolean);
  const listed = settings.ALLOWED_HOSTS.split(",").map((name) => name.trim().toLowerCase());
  return [...addresses.map((address) => new URL(address).hostname), ...listed.filter(Boolean)];
}

/** `names` in lower case. DNS rebinding sends its own name, never `localhost`, an IP address or another name. */
export function isKnownHost(host: string | undefined, names: readonly string[]): boolean {
  const hostname = hostnameOf(host ?? "");
  if (hostname === undefined) return false;
  return (
    hostname === "localhost" || IPV4.test(hostname) || hostname.startsWith("[") || names.includes(hostname)
  );
}
