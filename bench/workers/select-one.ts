// A Worker that asks its database for nothing: the upper bound for every speed with a read or write.
export default {
  fetch: async (_request, env) =>
    Response.json(await env.DB.withSession("first-primary").prepare("SELECT 1").first()),
} satisfies ExportedHandler<{ DB: D1Database }>;
