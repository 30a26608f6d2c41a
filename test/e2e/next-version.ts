import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A stand-in for a service that is updated while its app is open. */
export type Updated = {
  url: string;
  /** From now on the service worker and the page are those of another build. */
  update: () => void;
  stop: () => void;
};

/** The mark of the other build's page. */
const NEXT = '<meta name="build" content="next">';

const CHANGED: Record<string, (text: string) => string> = {
  "/sw.js": (text) => text.replace(/shell-/g, "shell-next-"),
  "/": (text) => text.replace("</head>", `${NEXT}</head>`),
};

async function textOf(stream: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

/** Passes requests on to a service, and can change what it delivers as its app. */
export async function updatable(apiUrl: string): Promise<Updated> {
  let isUpdated = false;
  const pass = (asked: IncomingMessage, answer: ServerResponse) => {
    const { host: _, "accept-encoding": __, "if-none-match": ___, ...headers } = asked.headers;
    const onward = request(apiUrl + asked.url, { method: asked.method ?? "GET", headers }, async (given) => {
      const change = isUpdated ? CHANGED[asked.url ?? ""] : undefined;
      if (!change) {
        answer.writeHead(given.statusCode ?? 502, given.headers);
        given.pipe(answer);
        return;
      }
      const { "content-length": _, etag: __, ...kept } = given.headers;
      answer.writeHead(given.statusCode ?? 502, kept).end(change(await textOf(given)));
    });
    onward.on("error", () => answer.destroy());
    asked.pipe(onward);
  };
  const server = createServer(pass);
  await new Promise<void>((resolve) => {
    server.listen(0, "localhost", resolve);
  });
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    update: () => {
      isUpdated = true;
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
