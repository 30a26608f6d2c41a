import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { openFront } from "../scripts/start/front.ts";

// The front of `npm start` with a bare Worker behind it: `node bench/front.ts <port> <script>`.

const [port, script = ""] = process.argv.slice(2);
const runtime = new Miniflare(
  convertV4MiniflareOptions({
    name: "bare",
    modules: true,
    script: stripTypeScriptTypes(readFileSync(script, "utf8")),
    compatibilityDate: "2026-10-23",
    unsafeDirectSockets: [{ host: "127.0.0.1", port: 0, proxy: true }],
  }),
);
const miniflare = Number((await runtime.ready).port);
const worker = Number((await runtime.unsafeGetDirectURL("bare")).port);
await openFront(
  { host: "localhost", ports: [Number(port)], names: [] },
  { worker, miniflare, secret: "not checked by this Worker" },
);
