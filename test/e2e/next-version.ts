import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { listen } from "./loopback.ts";

/** A stand-in for a service that is updated while its app is open. */
export type Updated = {
  url: string;
  /** From now on the service worker and the page are those of another build. */
  update: () => void;
  stop: () => Promise<void>;
};

/** The mark of the other build's page. */
const NEXT = '<meta name="build" content="next">';

const CHANGED: Record<string, (text: string) => string> = {
  "/sw.js": (text) => text.replace(/shell-/g, "shell-next-"),
  "/": (text) => text.replace("</head>", `${NEXT}</head>`),
};

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
      answer.writeHead(given.statusCode ?? 502, kept).end(change(await text(given)));
    });
    onward.on("error", () => answer.destroy());
    asked.pipe(onward);
  };
  const { url, close } = await listen(createServer(pass));
  return {
    url,
    update: () => {
      isUpdated = true;
    },
    stop: close,
  };
}
