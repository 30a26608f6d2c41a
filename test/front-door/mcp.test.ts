import { OAuthPerson } from "../e2e/oauth-person.ts";
import { callEveryTool, connect, type Kind, use } from "../e2e/official-clients.ts";
import { freePorts, register } from "../e2e/service.ts";
import { expect, ROOMY, test } from "./fixtures.ts";

// Assistants, with the official clients of both generations.

for (const kind of ["SDK v1", "SDK v2 negotiating"] satisfies Kind[])
  test(`${kind} signs in by itself, calls every tool, and continues when its token has expired`, async ({
    service,
    browser,
    callback,
    somebody,
  }) => {
    const account = await somebody();
    const person = new OAuthPerson(`${callback.url}/callback`, browser, account);
    const client = await connect(kind, service.mcpUrl, person);
    expect(await callEveryTool(client)).toEqual([]);
    expect(person.asked).toBe(1);

    const saved = person.saved;
    person.given = { ...person.given, access_token: "over" };
    expect(await use(client, "whoami")).toMatchObject({ email: account.email });
    expect(person.saved).toBe(saved + 1);
    expect(person.asked).toBe(1);
    await client.close();
  });

test("a kill and a restart between two calls go unnoticed by both generations", async ({
  start,
  browser,
  callback,
  folder,
}) => {
  const bob = { email: "bob@example.com", password: "another horse battery staple" };
  const ports = await freePorts();
  const first = await start(folder, ROOMY, ports);
  await register(first.apiUrl, bob);
  const person = () => new OAuthPerson(`${callback.url}/callback`, browser, bob);
  const [old, modern] = [person(), person()];
  const clients = [
    await connect("SDK v1", first.mcpUrl, old),
    await connect("SDK v2 negotiating", first.mcpUrl, modern),
  ] as const;
  const fact = { memory_type: "context", topic: "Kept", content: "Over" };
  const { memory } = await use<{ memory: { id: string } }>(clients[0], "remember", fact);
  await first.kill();
  await start(folder, ROOMY, ports);
  for (const client of clients) {
    const { items } = await use(client, "list_memories", { view: "all" });
    expect(items).toContainEqual(expect.objectContaining({ id: memory.id }));
    await client.close();
  }
  expect([old.asked, modern.asked]).toEqual([1, 1]);
});
