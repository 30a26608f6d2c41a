import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { openFront } from "../scripts/start/front.ts";

// `node bench/bare.ts <port> <database folder>`: see `startBare`.

const SCRIPT = `export default {
  fetch: async (request, env) =>
    new URL(request.url).pathname === "/select-one"
      ? Response.json(await env.DB.withSession("first-primary").prepare("SELECT 1").first())
      : new Response("ok"),
}`;

const [port, folder = ""] = process.argv.slice(2);
const runtime = new Miniflare(
  convertV4MiniflareOptions({
    name: "bare",
    modules: true,
    script: SCRIPT,
    compatibilityDate: "2026-10-23",
    d1Databases: { DB: "bare" },
    d1Persist: folder,
    unsafeDirectSockets: [{ host: "127.0.0.1", port: 0, proxy: true }],
  }),
);
const miniflare = Number((await runtime.ready).port);
const worker = Number((await runtime.unsafeGetDirectURL("bare")).port);
await openFront(
  { host: "localhost", ports: [Number(port)], hostNames: [] },
  { worker, miniflare, secret: "not checked by this Worker" },
);
