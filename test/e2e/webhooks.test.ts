import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, expect, test } from "vitest";
import { freePorts, register, type Service, startService, temporaryFolder, until } from "./service.ts";

// A webhook of a self-hosted copy, with a receiver on this machine.

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: Service | undefined;

beforeEach(async () => {
  folder = await temporaryFolder();
});

afterEach(async () => {
  await service?.stop();
  await folder.remove();
});

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

test("an event outlives the service: killed while it is sent, it is sent again after the next start", async () => {
  const hook = await receiver();
  const ports = await freePorts();
  service = await startService(folder.path, { WEBHOOK_PRIVATE: "allow" }, ports);
  const token = await register(service.apiUrl, {
    email: "ada@example.com",
    password: "correct horse battery",
  });
  const post = async (path: string, body: unknown) => {
    const answer = await fetch(`${service?.apiUrl}/api${path}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    return (await answer.json()) as { secret: string };
  };
  const { secret } = await post("/webhooks", { name: "Here", url: hook.url, events: ["document.created"] });
  hook.state.answers = false;
  await post("/documents", { title: "Packing list" });
  await until(
    () => hook.received.length === 1,
    () => "Nothing was sent",
  );
  await service.kill();
  hook.state.answers = true;
  service = await startService(folder.path, { WEBHOOK_PRIVATE: "allow" }, ports);
  await until(
    () => hook.received.length === 2,
    () => "It was not sent again",
  );
  const messages = hook.received.map(({ body, headers }) => new Webhook(secret).verify(body, headers));
  expect(messages[1]).toEqual(messages[0]);
  expect(messages[1]).toMatchObject({ type: "document.created", data: { title: "Packing list" } });
  expect(new Set(hook.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  hook.close();
});
