import { openFront } from "../scripts/start/front.ts";

// The front of `npm start` alone: `node bench/front.ts <port> <port behind it>`.

const [port, target] = process.argv.slice(2).map(Number);
await openFront(
  { host: "localhost", ports: [port ?? 0], names: [] },
  { port: target ?? 0, secret: "not checked by this Worker" },
);
