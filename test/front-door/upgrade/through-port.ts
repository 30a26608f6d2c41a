import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { Readable } from "node:stream";

/** A response with one of these has no body. */
const EMPTY = [204, 205, 304];

/**
 * A `fetch` for a service that believes in an address at which it does not listen: its requests go to `target`, under the
 * address that they were meant for. Node's own fetch does not let a caller set the Host header.
 */
export const throughPort = (target: string) => async (url: URL | string, init?: RequestInit) => {
  const meant = new URL(url);
  const asked = new Request(meant, init);
  const outgoing = request(target + meant.pathname + meant.search, {
    method: asked.method,
    headers: { ...Object.fromEntries(asked.headers), host: meant.host },
    signal: asked.signal,
  });
  outgoing.end(Buffer.from(await asked.arrayBuffer()));
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  const { statusCode: status = 502, headers } = answer;
  const body = EMPTY.includes(status) ? null : Readable.toWeb(answer);
  return new Response(body as BodyInit | null, { status, headers: headers as Record<string, string> });
};
