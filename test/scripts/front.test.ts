import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, request, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { buffer, text } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { ConnectionCounter } from "../../scripts/start/connection-limits.ts";
import type { DiskState } from "../../scripts/start/disk.ts";
import type { RuntimeTarget } from "../../scripts/start/forward.ts";
import { type FrontLimits, openFront } from "../../scripts/start/front.ts";
import { listen } from "../e2e/loopback.ts";

// The front of `npm start`, with a server of the test in the runtime's place.

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A front of a runtime that answers like this. */
async function startFrontOf(
  answer: RequestListener,
  limits: Partial<FrontLimits> = {},
  told: Pick<RuntimeTarget, "disk" | "origins"> = {},
): Promise<string> {
  const runtime = createServer(answer);
  const { port } = await listen(runtime);
  const target = { ...{ worker: port, miniflare: port, secret: "secret" }, ...told };
  const place = { host: "127.0.0.1", ports: [0], hostNames: ["notes.example"] };
  const [front] = await openFront(place, target, limits);
  if (!front) throw new Error("openFront opened nothing");
  servers.push(runtime, front);
  return `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
}

/** A front; `answer` is the body of each answer of the runtime, undefined where it closes the connection instead. */
const startFront = (answer: (request: IncomingMessage) => string | undefined): Promise<string> =>
  startFrontOf((request, response) => {
    request.resume().on("end", () => {
      const body = answer(request);
      if (body === undefined) request.socket.destroy();
      else response.end(body);
    });
  });

/** A connection on which this has been sent. */
function send(url: string, sent: string): Socket {
  const { port } = new URL(url);
  const socket = connect(Number(port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  // A front that closes a connection at once may reset it.
  socket.on("error", () => undefined);
  socket.write(sent);
  return socket;
}

/** Everything that comes on a connection until it is closed; what its end destroys is not missed. */
async function received(socket: Socket): Promise<string> {
  let said = "";
  socket.on("data", (chunk) => {
    said += chunk;
  });
  await new Promise((closed) => socket.once("close", closed));
  return said;
}

const statusOf = (answer: string) => Number(answer.split(" ")[1]);

const POST = "POST /api/documents HTTP/1.1\r\nHost: localhost\r\n";

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

const APP = "https://app.example";
const LARGE = { method: "POST", body: "x".repeat(20_000_000) };

test.for([
  ["/api/documents", {}, 503, APP, APP],
  ["/api/documents", {}, 503, "https://other.example", null],
  ["/api/documents", {}, 503, undefined, null],
  ["/api/import", LARGE, 503, APP, APP],
  ["/api/documents", LARGE, 413, APP, APP],
  ["/mcp", {}, 503, "https://other.example", "*"],
  ["/mcp?x", {}, 503, undefined, null],
  ["/oauth/token?x", LARGE, 413, "https://other.example", "*"],
] as const)(
  "a page that may call %s reads why it was not served: %#",
  async ([path, init, status, origin, allowed]) => {
    const told = { disk: { state: undefined, hasRoomFor: () => false }, origins: [APP] };
    const url = await startFrontOf(({ socket }) => void socket.destroy(), {}, told);
    const answer = await fetch(`${url}${path}`, { ...init, ...(origin && { headers: { Origin: origin } }) });
    expect([answer.status, answer.headers.get("Access-Control-Allow-Origin")]).toEqual([status, allowed]);
    const exposed = answer.headers.get("Access-Control-Expose-Headers");
    expect(exposed).toBe(allowed === null ? null : "Error-Code, Retry-After");
  },
);

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

test("the Worker hears from the front alone that the disk is full, and nothing comes that has no room", async () => {
  const disk: { state: DiskState; hasRoomFor: (bytes: number) => boolean } = {
    state: undefined,
    hasRoomFor: (bytes) => bytes < 2_000_000,
  };
  const answer: RequestListener = (request, response) => {
    request.resume().on("end", () => response.end(String(request.headers["x-front-disk"])));
  };
  const url = await startFrontOf(answer, {}, { disk });
  const told = async (init?: RequestInit) => (await fetch(url, init)).text();
  expect(await told({ headers: { "X-Front-Disk": "full" } })).toBe("undefined");
  disk.state = "full";
  expect(await told()).toBe("full");
  const upload = { method: "POST", body: "x".repeat(2_000_001) };
  const refused = await fetch(`${url}/api/import`, upload);
  expect([refused.status, refused.headers.get("Error-Code")]).toEqual([503, "disk_full"]);
  expect(await refused.json()).toEqual({ detail: expect.stringContaining("Nothing was changed") });
});

/** A runtime that tells when it has got the head of a request, and that answers with its body. */
function echo() {
  const heads = Promise.withResolvers<void>();
  const runtime: RequestListener = async (request, response) => {
    heads.resolve();
    const body = await text(request).catch(() => undefined);
    if (body !== undefined) response.end(body);
  };
  return { runtime, head: heads.promise };
}

test("the runtime gets the head of a request before its body, which may come much later", async () => {
  const bodies = ["Content-Length: 2\r\n", "Transfer-Encoding: chunked\r\n"];
  const heads = [...bodies, ...bodies.map((one) => `${one}Expect: 100-continue\r\n`)];
  for (const head of heads) {
    const { runtime, head: arrived } = echo();
    const socket = send(await startFrontOf(runtime), `${POST}${head}Connection: close\r\n\r\n`);
    const answer = text(socket);
    await arrived;
    socket.write(head.startsWith("Content-Length") ? "ok" : "2\r\nok\r\n0\r\n\r\n");
    expect(await answer, head).toMatch(/^(HTTP\/1.1 100 Continue\r\n\r\n)?HTTP\/1.1 200 OK\r\n.*\bok\b/s);
  }
});

test("a request that stands still is ended, wherever it stands still, and only then", async () => {
  const { runtime } = echo();
  const url = await startFrontOf(runtime, { idleMs: 300 });
  const late = send(url, `${POST}Content-Length: 2\r\n\r\n`);
  const midway = send(url, `${POST}Transfer-Encoding: chunked\r\n\r\n1\r\no\r\n`);
  const imported = send(url, "POST /api/import HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nabc");
  for (const socket of [late, midway, imported]) {
    const answer = await text(socket);
    expect(statusOf(answer)).toBe(408);
    expect(answer).toContain("Connection: close");
    expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4))).toEqual({
      detail: expect.stringContaining("No data arrived"),
    });
  }
  // So is the rest of a request that has its answer: one that is refused, and a read, whose body is not needed.
  const refused = send(url, "POST / HTTP/1.1\r\nHost: stranger.example\r\nContent-Length: 9\r\n\r\nabc");
  const read = send(url, "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n");
  expect((await Promise.all([refused, read].map(received))).map(statusOf)).toEqual([421, 200]);
});

test("only an import may take longer than the longest time of a request, and only until it has its answer", async () => {
  const { runtime: echoing } = echo();
  const runtime: RequestListener = (request, response) =>
    request.url?.endsWith("early") ? response.end() : echoing(request, response);
  const url = await startFrontOf(runtime, { idleMs: 2000, totalMs: 500 });
  const head = (path: string, length: number, host = "localhost") =>
    `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${length}\r\n`;
  const slow = send(url, `${head("/api/documents", 999)}\r\n`);
  const imported = send(url, `${head("/api/import", 11)}Connection: close\r\n\r\n`);
  const early = send(url, `${head("/api/import?early", 999)}\r\n`);
  const refused = send(url, `${head("/api/documents", 999, "stranger.example")}\r\n`);
  const sockets = [slow, imported, early, refused];
  const answers = Promise.all(sockets.map(received));
  const drip = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write("x");
  }, 100);
  onTestFinished(() => clearInterval(drip));
  expect((await answers).map(statusOf)).toEqual([408, 200, 200, 421]);
  expect((await answers)[1]?.endsWith("x".repeat(11))).toBe(true);
});

test("a runtime that computes is waited for, and a client that does not read its answer is not", async () => {
  const answers = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const runtime: RequestListener = async (request, response) => {
    if (request.method === "GET") {
      response.once("close", closed.resolve);
      return void response.end("x".repeat(40_000_000));
    }
    request.resume();
    await answers.promise;
    response.end("done");
  };
  const url = await startFrontOf(runtime, { idleMs: 300 });
  const waiting = text(send(url, `${POST}Content-Length: 2\r\nConnection: close\r\n\r\nok`));
  // It never reads, and the runtime is told that its answer is not wanted any more.
  send(url, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").pause();
  await closed.promise;
  answers.resolve();
  expect((await waiting).endsWith("done")).toBe(true);
});

test("an idle connection is kept for longer than a proxy in front keeps it", async () => {
  const url = await startFront(() => "done");
  const socket = send(url, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const [head] = (await once(socket, "data")) as [Buffer];
  const seconds = Number(/^Keep-Alive: timeout=(\d+)/im.exec(String(head))?.[1]);
  // Caddy and Go: 120; cloudflared: 90; nginx: 60.
  expect(seconds).toBeGreaterThan(120);
});

test("connections are limited together", async () => {
  const url = await startFrontOf((_, response) => response.end(), { connections: 3 });
  const held = [1, 2, 3].map(() => send(url, "GET / HTTP/1.1\r\n"));
  await Promise.all(held.map((socket) => once(socket, "connect")));
  expect(await text(send(url, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")).catch(() => "")).toBe("");
  for (const socket of held) socket.destroy();
  await expect
    .poll(() =>
      fetch(url).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200);
});

test("connections of an address from outside are limited more strictly", () => {
  const crowd = new ConnectionCounter({ connections: 6, perAddress: 2 });
  const enter = (...addresses: string[]) => addresses.map((address) => crowd.add(address));
  expect(enter("203.0.113.1", "::ffff:203.0.113.1", "203.0.113.1")).toEqual([true, true, false]);
  // An IPv6 network is one subscriber.
  expect(enter("2001:db8::1", "2001:db8::2", "2001:db8::3")).toEqual([true, true, false]);
  crowd.remove("203.0.113.1");
  expect(enter("203.0.113.1", "203.0.113.1")).toEqual([true, false]);
  // Here, or behind a proxy here, are many people.
  crowd.remove("2001:db8::2");
  expect(enter("127.0.0.1", "::1", "::ffff:127.0.0.1", "127.0.0.1")).toEqual([true, true, true, false]);
});

test("a read has no body for the runtime", async () => {
  const seen: IncomingMessage["headers"][] = [];
  const url = await startFront(({ headers }) => {
    seen.push(headers);
    return "done";
  });
  for (const method of ["GET", "HEAD"])
    for (const body of [
      "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
      "Content-Length: 2\r\n\r\nok",
    ]) {
      const answer = await text(
        send(url, `${method} / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${body}`),
      );
      expect(statusOf(answer)).toBe(200);
    }
  expect(seen).toHaveLength(4);
  for (const headers of seen) {
    expect(headers).not.toHaveProperty("transfer-encoding");
    expect(headers).not.toHaveProperty("content-length");
  }
});

test("requests that a client sends without waiting are answered one after another", async () => {
  const inside = { now: 0, most: 0 };
  const url = await startFrontOf(async (request, response) => {
    inside.most = Math.max(inside.most, ++inside.now);
    await text(request);
    setImmediate(() => {
      inside.now--;
      response.end(`<${request.url?.split("?")[1]}>`);
    });
  });
  const numbers = Array.from({ length: 50 }, (_, index) => index);
  const asked = numbers.map((number) =>
    number % 5 === 0
      ? `POST /?${number} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nok`
      : `GET /?${number} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
  );
  const last = "GET /?last HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  const answer = await text(send(url, asked.join("") + last));
  expect(answer.match(/<\w+>/g)).toEqual([...numbers, "last"].map((one) => `<${one}>`));
  expect(inside.most).toBe(1);
});

type Asked = { method?: string; headers?: Record<string, string> };

/** An answer as it was sent; fetch would have decoded it. */
async function ask(url: string, { method = "GET", headers = {} }: Asked = {}) {
  const outgoing = request(url, { method, headers }).end();
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, body: await buffer(answer) };
}

const DECODED: Record<string, (body: Buffer) => Buffer> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  none: (body) => body,
};

const LONG = JSON.stringify({ items: Array(200).fill("packing list") });

test("answers are compressed as the client likes, and say so", async () => {
  const url = await startFrontOf((_, response) => {
    response.writeHead(200, { "Content-Type": "application/json", ETag: '"v3"', Vary: "Origin" }).end(LONG);
  });
  const likes: [string | undefined, string][] = [
    ["gzip, deflate, br, zstd", "br"],
    ["gzip, deflate", "gzip"],
    ["GZIP", "gzip"],
    ["br;q=0.5, gzip;q=0.8", "gzip"],
    ["br;q=0, *", "gzip"],
    ["*", "br"],
    ["identity, gzip;q=0.5", "none"],
    ["gzip;q=0", "none"],
    ["deflate", "none"],
    ["", "none"],
    [undefined, "none"],
  ];
  for (const [accepted, coding] of likes) {
    const answer = await ask(url, accepted === undefined ? {} : { headers: { "Accept-Encoding": accepted } });
    expect(answer.headers["content-encoding"] ?? "none", accepted).toBe(coding);
    expect(DECODED[coding]?.(answer.body).toString(), accepted).toBe(LONG);
    expect(answer.headers.vary, accepted).toBe("Origin, Accept-Encoding");
    // The same text in another coding is another representation.
    expect(answer.headers.etag, accepted).toBe(coding === "none" ? '"v3"' : `"v3-${coding}"`);
    if (coding !== "none") expect(answer.body.length).toBeLessThan(LONG.length / 10);
  }
  const head = await ask(url, { method: "HEAD", headers: { "Accept-Encoding": "gzip" } });
  expect([head.headers["content-encoding"], head.headers.vary]).toEqual([
    undefined,
    "Origin, Accept-Encoding",
  ]);
});

test("what would gain nothing is not compressed: short answers, pictures, parts, what is compressed, events", async () => {
  type Given = { status?: number; headers: Record<string, string>; body?: string };
  const json = { "Content-Type": "application/json" };
  const kept: Given[] = [
    { headers: { ...json, "Content-Length": "2" }, body: "{}" },
    { headers: { "Content-Type": "image/png" }, body: LONG },
    { headers: { "Content-Type": "text/event-stream" }, body: LONG },
    { headers: { ...json, "Content-Encoding": "deflate" }, body: LONG },
    { headers: { ...json, "Cache-Control": "no-transform" }, body: LONG },
    { headers: { ...json, "Content-Range": "bytes 0-1/9" }, status: 206, body: LONG },
    { headers: {}, body: LONG },
    { headers: json, status: 204 },
  ];
  let given: Given | undefined;
  const url = await startFrontOf((_, response) => {
    response.writeHead(given?.status ?? 200, given?.headers).end(given?.body);
  });
  for (const one of kept) {
    given = one;
    const answer = await ask(url, { headers: { "Accept-Encoding": "br, gzip" } });
    expect(answer.headers["content-encoding"], JSON.stringify(one)).toBe(one.headers["Content-Encoding"]);
    expect(answer.body.toString()).toBe(one.body ?? "");
  }
});

test("what never changes is compressed as well as possible for those who come later", async () => {
  const words = Array.from({ length: 20_000 }, (_, n) => `word ${(n * 7919) % 1009}`).join(" ");
  let isCut = true;
  const url = await startFrontOf(({ url: path }, response) => {
    const name = path?.split("/").at(-1);
    const headers = { "Content-Type": "text/javascript", "Content-Length": words.length };
    const caching = name === "never.js" ? "public, max-age=31536000, immutable" : "no-cache";
    response.writeHead(200, { ...headers, ETag: `"${name}"`, "Cache-Control": caching });
    if (!isCut) return void response.end(words);
    response.write(words.slice(0, words.length / 2), () => response.destroy());
  });
  const read = async (name: string) => {
    const answer = await ask(`${url}/${name}`, { headers: { "Accept-Encoding": "gzip, br" } });
    expect(answer.headers).toMatchObject({ "content-encoding": "br", etag: `"${name}-br"` });
    expect(brotliDecompressSync(answer.body).toString()).toBe(words);
    return answer.body.length;
  };
  // One that breaks off is not taken for the file.
  await expect(read("never.js")).rejects.toThrow();
  isCut = false;
  const [first = 0, ...others] = await Promise.all(Array.from({ length: 60 }, () => read("never.js")));
  expect(others.every((length) => length <= first)).toBe(true);
  await expect.poll(() => read("never.js")).toBeLessThan(first * 0.9);
  expect(await read("often.js")).toBe(first);
});

test("a condition on the ETag of a compressed answer holds for what it stands for", async () => {
  const seen: (string | undefined)[] = [];
  const url = await startFrontOf(({ headers }, response) => {
    seen.push(headers["if-match"], headers["if-none-match"]);
    response.writeHead(headers["if-none-match"] ? 304 : 204, { ETag: '"v3"' }).end();
  });
  await ask(url, { method: "PATCH", headers: { "If-Match": '"v3-br", "v3-gzip", "v4", W/"v5"' } });
  await ask(url, { method: "PATCH", headers: { "If-Match": "*" } });
  const answer = await ask(url, { headers: { "If-None-Match": '"v2-gzip", "v3-gzip"' } });
  expect([answer.status, answer.headers.etag]).toEqual([304, '"v3-gzip"']);
  expect((await ask(url, { headers: { "If-None-Match": '"v3"' } })).headers.etag).toBe('"v3"');
  expect(seen.filter(Boolean)).toEqual(['"v3", "v3", "v4", W/"v5"', "*", '"v2", "v3"', '"v3"']);
});

test("a compressed answer that breaks off is not taken for a whole one, and a long one is sent as it comes", async () => {
  const more = Promise.withResolvers<void>();
  const noise = Array.from({ length: 20_000 }, () => crypto.randomUUID()).join("");
  const url = await startFrontOf(async (_, response) => {
    response.writeHead(200, { "Content-Type": "application/x-ndjson" }).write(noise);
    await more.promise;
    response.destroy();
  });
  const outgoing = request(url, { headers: { "Accept-Encoding": "gzip" } }).end();
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  expect(answer.headers["content-encoding"]).toBe("gzip");
  await once(answer, "data");
  more.resolve();
  await expect(buffer(answer)).rejects.toThrow();
});
