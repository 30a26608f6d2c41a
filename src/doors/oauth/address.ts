const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

const isLoopback = (url: URL) => LOOPBACK.includes(url.hostname);

const splitList = (setting: string) =>
  setting
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean);

/**
 * The public URL of /mcp for a request; undefined if its host does not serve it. Only the host of `configured` (MCP_URL) does;
 * without that setting, workers.dev and local hosts do. No other Host header is trusted.
 */
export function mcpUrlFor(configured: string, request: URL): string | undefined {
  if (configured !== "") {
    const url = new URL(configured);
    const alias = isLoopback(url) && isLoopback(request) && url.port === request.port;
    return url.host === request.host || alias ? configured : undefined;
  }
  const isTrusted = isLoopback(request) || request.hostname.endsWith(".workers.dev");
  return isTrusted ? `${request.origin}/mcp` : undefined;
}

let isLogged = false;

/** Logs once which setting is missing if a client uses an address that MCP_URL does not name. */
export function logWrongAddress(configured: string, request: URL): void {
  const served = mcpUrlFor(configured, request);
  const isRight = served !== undefined && (request.protocol === "http:" || served.startsWith("https:"));
  if (isRight || isLogged) return;
  isLogged = true;
  const current = configured === "" ? "is not set" : `is ${configured}`;
  const correct = isLoopback(request) ? "the address that clients use" : `https://${request.host}/mcp`;
  console.error(
    `A client requested ${request.origin}/mcp and cannot connect there, because MCP_URL ${current}. ` +
      `Behind a proxy with TLS, set MCP_URL to ${correct}`,
  );
}

/** The resource of a request (RFC 8707) without a trailing slash, which people may type. */
export const withoutTrailingSlash = (resource: string): string =>
  resource.endsWith("/mcp/") ? resource.slice(0, -1) : resource;

export function withPlainResources(address: string): URL {
  const url = new URL(address);
  const resources = url.searchParams.getAll("resource");
  if (resources.every((one) => one === withoutTrailingSlash(one))) return url;
  url.searchParams.delete("resource");
  for (const one of resources) url.searchParams.append("resource", withoutTrailingSlash(one));
  return url;
}

/** Our own, configured and local origins may call /mcp. A request without the header does not come from a page. */
export function isAllowedOrigin(origin: string | null, mcpUrl: string, configured: string): boolean {
  if (origin === null) return true;
  const url = URL.parse(origin);
  if (url?.origin !== origin) return false;
  return isLoopback(url) || origin === new URL(mcpUrl).origin || splitList(configured).includes(origin);
}
