// A Worker that does nothing: the upper bound for every speed.
export default { fetch: () => new Response("ok") } satisfies ExportedHandler;
