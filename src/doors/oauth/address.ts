// Which hosts and origins /mcp is served on.

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
 * The public address of the MCP endpoint as a request sees it, or undefined if the request's host does not serve it. A
 * configured address is the only one (a loopback address under all of its names); without one, a deployment on
 * workers.dev or on this machine goes by the request's host. No other Host header is trusted.
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
 * Whether a page of this origin may call /mcp: the endpoint's own origin, the configured ones, and pages served by this
 * machine. A request without the header does not come from a page.
 */
export function isAllowedOrigin(origin: string | null, mcpUrl: string, configured: string): boolean {
  if (origin === null) return true;
  const url = parsed(origin);
  if (!url || url.origin !== origin) return false;
  return isLoopback(url) || origin === new URL(mcpUrl).origin || listOf(configured).includes(origin);
}
