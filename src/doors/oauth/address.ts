const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

const isLoopback = (url: URL) => LOOPBACK.includes(url.hostname);

const listOf = (setting: string) =>
  setting
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean);

function parsed(url: string): URL | undefined {
  return URL.canParse(url) ? new URL(url) : undefined;
}

/**
 * The public address of /mcp as a request sees it; undefined if its host does not serve it. `configured` (MCP_URL) is
 * the only one; without it a workers.dev or local host goes. No other Host header is trusted.
 */
export function mcpUrlOf(configured: string, request: URL): string | undefined {
  if (configured !== "") {
    const url = new URL(configured);
    const alias = isLoopback(url) && isLoopback(request) && url.port === request.port;
    return url.host === request.host || alias ? configured : undefined;
  }
  const own = isLoopback(request) || request.hostname.endsWith(".workers.dev");
  return own ? `${request.origin}/mcp` : undefined;
}

let isNoted = false;

/** Says once in the log which setting is missing, when a client asks at an address that MCP_URL does not name. */
export function noteOtherAddress(configured: string, request: URL): void {
  const served = mcpUrlOf(configured, request);
  const isRight = served !== undefined && (request.protocol === "http:" || served.startsWith("https:"));
  if (isRight || isNoted) return;
  isNoted = true;
  const now = configured === "" ? "is not set" : `is ${configured}`;
  const way = isLoopback(request) ? "the address that clients use" : `https://${request.host}/mcp`;
  console.error(
    `A client asked for ${request.origin}/mcp and cannot connect there, because MCP_URL ${now}. ` +
      `Behind a proxy with TLS, set MCP_URL to ${way}`,
  );
}

/** The resource that a client means (RFC 8707): people type the address with a slash at its end, too. */
export const plainResource = (resource: string): string =>
  resource.endsWith("/mcp/") ? resource.slice(0, -1) : resource;

/** A request's URL, with the resource that it means. */
export function plainUrl(address: string): URL {
  const url = new URL(address);
  const resources = url.searchParams.getAll("resource");
  if (resources.every((one) => one === plainResource(one))) return url;
  url.searchParams.delete("resource");
  for (const one of resources) url.searchParams.append("resource", plainResource(one));
  return url;
}

/** Own, configured and local origins may call /mcp. A request without the header does not come from a page. */
export function isAllowedOrigin(origin: string | null, mcpUrl: string, configured: string): boolean {
  if (origin === null) return true;
  const url = parsed(origin);
  if (!url || url.origin !== origin) return false;
  return isLoopback(url) || origin === new URL(mcpUrl).origin || listOf(configured).includes(origin);
}
