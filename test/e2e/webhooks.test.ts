import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePorts, register, type Service, startService, temporaryFolder, until } from "./service.ts";

// A webhook of a self-hosted copy, with a receiver on this machine.

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let ports: Awaited<ReturnType<typeof freePorts>>;
let service: Service;

const start = async () => {
  service = await startService(folder.path, { WEBHOOK_PRIVATE: "allow" }, ports);
};

beforeAll(async () => {
  [folder, ports] = [await temporaryFolder(), await freePorts()];
  await start();
});

afterAll(async () => {
  await service?.stop();
  await folder.remove();
});

type Answer = Record<string, unknown>;

/** Requests of somebody with a new account. */
async function somebody(email: string) {
  const token = await register(service.apiUrl, { email, password: "correct horse battery" });
  return async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const answer = await fetch(`${service.apiUrl}/api${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return (await answer.json()) as Answer;
  };
}

type Received = { headers: Record<string, string>; body: string };

/** A receiver that keeps what it is sent, and answers or not. */
async function receiver() {
  const received: Received[] = [];
  const state = { answers: true };
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    received.push({ headers: request.headers as Record<string, string>, body: await text(request) });
    if (state.answers) response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { received, state, url: `http://127.0.0.1:${port}/hook`, close: () => server.close() };
}

/** A server that speaks as it likes to whoever connects, and how many bytes it could send. */
async function rawServer(speak: (socket: Socket) => void) {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => socket.destroy());
    socket.once("data", () => speak(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const sent = () => sockets.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0);
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}/`, sent, close };
}

/** Sends a byte every half a second for as long as anybody listens. */
function dribble(socket: Socket): void {
  const timer = setInterval(() => socket.write("a"), 500);
  socket.once("close", () => clearInterval(timer));
}

const MANY_BYTES = 100 * 1024 * 1024;

function pour(socket: Socket): void {
  socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${MANY_BYTES}\r\n\r\n`);
  const chunk = Buffer.alloc(64 * 1024);
  const more = () => {
    while (!socket.destroyed && socket.bytesWritten < MANY_BYTES && socket.write(chunk));
  };
  socket.on("drain", more);
  more();
}

test("hostile receivers hold nothing up for longer than ten seconds, and lead nowhere else", async () => {
  const elsewhere = await receiver();
  const slowHead = await rawServer((socket) => {
    socket.write("HTTP/1.1 200 OK\r\nX-Slow: ");
    dribble(socket);
  });
  const slowBody = await rawServer((socket) => {
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
    dribble(socket);
  });
  const large = await rawServer(pour);
  const redirect = await rawServer((socket) =>
    socket.end(`HTTP/1.1 307 Moved\r\nLocation: ${elsewhere.url}\r\nContent-Length: 0\r\n\r\n`),
  );
  const gone = await rawServer(() => undefined);
  gone.close();
  const ask = await somebody("ada@example.com");
  const outcomeOf = async (url: string) => {
    const name = "Hostile\r\nX-Injected: yes";
    const { id } = await ask("POST", "/webhooks", { name, url, events: ["document.created"] });
    // These receivers would go on for ever, or for minutes: that there is an answer says that they are left.
    const { status, response_status, error } = await ask("POST", `/webhooks/${id}/test`);
    return [status, response_status, error];
  };
  const targets = [
    slowHead.url,
    slowBody.url,
    large.url,
    redirect.url,
    gone.url,
    `${service.apiUrl}/api/documents`,
  ];
  expect(await Promise.all(targets.map(outcomeOf))).toEqual([
    ["failed", null, "It did not answer within 10 seconds"],
    ["delivered", 200, null],
    ["delivered", 200, null],
    ["failed", 307, "It answered with a redirect, which is not followed"],
    ["failed", null, "It could not be reached"],
    ["failed", 401, "It answered 401"],
  ]);
  expect(elsewhere.received).toEqual([]);
  expect(large.sent()).toBeLessThan(MANY_BYTES / 10);
  expect(await ask("GET", "/documents")).toMatchObject({ total: 0 });
  for (const server of [elsewhere, slowHead, slowBody, large, redirect]) server.close();
});

test("an event outlives the service: killed while it is sent, it is sent again after the next start", async () => {
  const hook = await receiver();
  const ask = await somebody("eve@example.com");
  const here = { name: "Here", url: hook.url, events: ["document.created"] };
  const { secret } = await ask("POST", "/webhooks", here);
  hook.state.answers = false;
  await ask("POST", "/documents", { title: "Packing list" });
  await until(
    () => hook.received.length === 1,
    () => "Nothing was sent",
  );
  await service.kill();
  hook.state.answers = true;
  await start();
  await until(
    () => hook.received.length === 2,
    () => "It was not sent again",
  );
  const messages = hook.received.map(({ body, headers }) =>
    new Webhook(String(secret)).verify(body, headers),
  );
  expect(messages[1]).toEqual(messages[0]);
  expect(messages[1]).toMatchObject({ type: "document.created", data: { title: "Packing list" } });
  expect(new Set(hook.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  hook.close();
});
