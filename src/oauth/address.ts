// Which hosts and origins /mcp is served on. Plain values in, plain values out.

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

const isLoopback = (url: URL) => LOOPBACK.includes(url.hostname);

/** A list from a setting: "https://a.example, https://b.example". */
const listOf = (setting: string) =>
  setting
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean);

function parsed(url: string): URL | undefined {
  return URL.canParse(url) ? new URL(url) : undefined;
}

/**
 * The public address of the MCP endpoint as a request sees it, or undefined when the request came to a host that does
 * not serve it. A configured address decides alone (a loopback one under all of its names); without one, a deployment
 * on workers.dev or on this machine is named by the request itself. No other Host header is believed.
 *
 * @param configured the setting MCP_URL, or an empty string
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

/**
 * Whether a page of this origin may call /mcp: the endpoint's own origin, the configured ones, and pages that this
 * very machine serves. A request without the header comes from no page.
 */
export function isAllowedOrigin(origin: string | null, mcpUrl: string, configured: string): boolean {
  if (origin === null) return true;
  const url = parsed(origin);
  if (!url || url.origin !== origin) return false;
  return isLoopback(url) || origin === new URL(mcpUrl).origin || listOf(configured).includes(origin);
}
