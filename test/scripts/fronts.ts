import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach } from "vitest";
import type { RuntimeTarget } from "../../scripts/start/forward.ts";
import { type FrontLimits, openFront } from "../../scripts/start/front.ts";
import { listen } from "../e2e/loopback.ts";

// Fronts of `npm start`, with a server of the test in the runtime's place.

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A front of this runtime. */
export async function startFrontOf(
  runtime: Server,
  limits: Partial<FrontLimits> = {},
  told: Pick<RuntimeTarget, "disk" | "origins"> = {},
): Promise<string> {
  const { port } = await listen(runtime);
  const target = { ...{ worker: port, miniflare: port, secret: "secret" }, ...told };
  const place = { host: "127.0.0.1", ports: [0], names: ["notes.example"] };
  const [front] = await openFront(place, target, limits);
  if (!front) throw new Error("openFront opened nothing");
  servers.push(runtime, front);
  return `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
}

/** A front; `answer` is the body of each answer of the runtime, undefined where it closes the connection instead. */
export const startFront = (answer: (request: IncomingMessage) => string | undefined): Promise<string> =>
  startFrontOf(
    createServer((request, response) => {
      request.resume().on("end", () => {
        const body = answer(request);
        if (body === undefined) request.socket.destroy();
        else response.end(body);
      });
    }),
  );
