/**
 * The MCP port of a self-hosted copy. It owns no state: one process must own the database, or
 * concurrent writes are lost. The request keeps its own URL, so that issuer and audience name this port.
 */
export default {
  fetch: (request, env) => env.API.fetch(request),
} satisfies ExportedHandler<{ API: Fetcher }>;
