import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { openFront } from "../../scripts/start/front.ts";

// The front of `npm start`, with a server of the test in the runtime's place.

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const portOf = (server: Server) => (server.address() as AddressInfo).port;

/** A front; `answer` is the body of each answer of the runtime, undefined where it closes the connection instead. */
async function startFront(answer: (request: IncomingMessage) => string | undefined): Promise<string> {
  const runtime = createServer((request, response) => {
    request.resume().on("end", () => {
      const body = answer(request);
      if (body === undefined) request.socket.destroy();
      else response.end(body);
    });
  });
  await once(runtime.listen(0, "127.0.0.1"), "listening");
  const target = { worker: portOf(runtime), miniflare: portOf(runtime), secret: "secret" };
  const [front] = await openFront({ host: "127.0.0.1", ports: [0], names: ["notes.example"] }, target);
  if (!front) throw new Error("openFront opened nothing");
  servers.push(runtime, front);
  return `http://127.0.0.1:${portOf(front)}`;
}

test("a read is repeated when its kept connection breaks; a write has a connection of its own", async () => {
  const seen = new Map<Socket, string[]>();
  const bodies: string[] = [];
  // As workerd after a stall: what waits on a connection that was used before is lost.
  const url = await startFront(({ socket, method = "" }) => {
    const earlier = seen.get(socket) ?? [];
    seen.set(socket, [...earlier, method]);
    if (method === "POST") bodies.push(method);
    return earlier.length > 0 ? undefined : "done";
  });
  for (let turn = 0; turn < 20; turn++) {
    const read = await fetch(url);
    expect([read.status, await read.text()]).toEqual([200, "done"]);
    const write = await fetch(url, { method: "POST", body: "x" });
    expect([write.status, await write.text()]).toEqual([200, "done"]);
  }
  const used = [...seen.values()];
  expect(used.filter((methods) => methods.includes("POST"))).toEqual(Array(20).fill(["POST"]));
  expect(used.filter((methods) => methods.length > 1).length).toBeGreaterThan(0);
  expect(bodies).toHaveLength(20);
});

test("a request that breaks is sent at most twice, and a write once", async () => {
  const count = { GET: 0, POST: 0 };
  let broken = false;
  const url = await startFront(({ method }) => {
    count[method as "GET" | "POST"]++;
    return broken ? undefined : "done";
  });
  await (await fetch(url)).text();
  broken = true;
  for (const method of ["GET", "POST"]) expect((await fetch(url, { method })).status).toBe(503);
  expect(count).toEqual({ GET: 3, POST: 1 });
});

test("the Worker is asked with the address that the client has asked for, Miniflare only for static files", async () => {
  const url = await startFront(({ url: asked = "" }) => asked);
  const asked = async (path: string, headers = {}) => (await fetch(`${url}${path}`, { headers })).text();
  const { host } = new URL(url);
  expect(await asked("/api/documents?limit=1")).toBe(`http://${host}/api/documents?limit=1`);
  expect(await asked("/", { "X-Forwarded-Proto": "https, http" })).toBe(`https://${host}/`);
  expect(await asked("/", { "X-Forwarded-Proto": "gopher" })).toBe(`http://${host}/`);
  for (const path of ["/docs/docs.css", "/pages/style.css?x", "/docs"]) expect(await asked(path)).toBe(path);
  for (const path of ["/_headers", "/docsx", "//docs/docs.css"])
    expect(await asked(path)).toBe(`http://${host}${path}`);
});
