// The least that a Worker can ask a database: the ceiling for everything that reads or writes.
export default {
  fetch: async (_request, env) =>
    Response.json(await env.DB.withSession("first-primary").prepare("SELECT 1").first()),
} satisfies ExportedHandler<{ DB: D1Database }>;
