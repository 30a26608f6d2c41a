// The least that a Worker can do: the ceiling for everything.
export default { fetch: () => new Response("ok") } satisfies ExportedHandler;
