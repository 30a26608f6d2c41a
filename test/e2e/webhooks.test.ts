import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTcpServer, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import { expect, onTestFinished, test } from "vitest";
import { ADA } from "./accounts.ts";
import { askWith } from "./ask.ts";
import { sharedService } from "./instances.ts";
import { listen } from "./loopback.ts";
import { register, until } from "./service.ts";

// A webhook of a self-hosted copy, with a receiver on this machine.

const shared = sharedService({ WEBHOOK_PRIVATE: "allow" });

/** Requests of a new account. */
const newPerson = async (email: string) =>
  askWith(shared.service.apiUrl, await register(shared.service.apiUrl, { ...ADA, email }));

type Answer = Record<string, unknown>;
type Received = { headers: Record<string, string>; body: string };

/** A receiver that keeps what it is sent, and answers or not. */
async function receiver() {
  const received: Received[] = [];
  const state = { answers: true };
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    received.push({ headers: request.headers as Record<string, string>, body: await text(request) });
    if (state.answers) response.end();
  });
  return { received, state, ...(await listen(server)) };
}

/** A server that speaks to its clients as it likes, and how many bytes it could send. */
async function rawServer(speak: (socket: Socket) => void) {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => socket.destroy());
    socket.once("data", () => speak(socket));
  });
  const { url } = await listen(server);
  const sent = () => sockets.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0);
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  onTestFinished(close);
  return { url, sent, close };
}

/** Sends a byte every half a second for as long as the connection is open. */
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
  const slow = (head: string) =>
    rawServer((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${head}`);
      dribble(socket);
    });
  const slowHead = await slow("X-Slow: ");
  const slowBody = await slow("Content-Length: 1000\r\n\r\n");
  const large = await rawServer(pour);
  const redirect = await rawServer((socket) =>
    socket.end(`HTTP/1.1 307 Moved\r\nLocation: ${elsewhere.url}\r\nContent-Length: 0\r\n\r\n`),
  );
  const gone = await rawServer(() => undefined);
  gone.close();
  const ask = await newPerson("hostile@example.com");
  const outcomeOf = async (url: string) => {
    const name = "Hostile\r\nX-Injected: yes";
    const { id } = await ask<Answer>("POST", "/api/webhooks", { name, url, events: ["document.created"] });
    // These receivers would go on for ever, or for minutes: that there is an answer says that they are left.
    const { status, response_status, error } = await ask<Answer>("POST", `/api/webhooks/${id}/test`);
    return [status, response_status, error];
  };
  const targets = [slowHead, slowBody, large, redirect, gone].map(({ url }) => url);
  targets.push(`${shared.service.apiUrl}/api/documents`);
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
  expect(await ask("GET", "/api/documents")).toMatchObject({ total: 0 });
  await elsewhere.close();
});

test("an event outlives the service: killed while it is sent, it is sent again after the next start", async () => {
  const hook = await receiver();
  const ask = await newPerson("eve@example.com");
  const here = { name: "Here", url: hook.url, events: ["document.created"] };
  const { secret } = await ask<Answer>("POST", "/api/webhooks", here);
  hook.state.answers = false;
  await ask("POST", "/api/documents", { title: "Packing list" });
  await until(
    () => hook.received.length === 1,
    () => "Nothing was sent",
  );
  await shared.restart(() => {
    hook.state.answers = true;
  });
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
  await hook.close();
});
