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

/** Own, configured and local origins may call /mcp. A request without the header does not come from a page. */
export function isAllowedOrigin(origin: string | null, mcpUrl: string, configured: string): boolean {
  if (origin === null) return true;
  const url = parsed(origin);
  if (!url || url.origin !== origin) return false;
  return isLoopback(url) || origin === new URL(mcpUrl).origin || listOf(configured).includes(origin);
}
