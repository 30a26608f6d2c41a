import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { register, type Service, startService, temporaryFolder, until } from "./service.ts";
import { openState } from "./state.ts";

// The day by mail over SMTP. The cron handler runs when the service starts.

const ADA = { email: "ada@example.com", password: "correct horse battery" };

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let server: SMTPServer;
let settings: Record<string, string>;
/** How often the server was asked to take a mail, whether it takes one, and what it has taken. */
const state = { asked: 0, isOpen: false, taken: [] as string[] };

beforeAll(async () => {
  folder = await temporaryFolder();
  server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS", "AUTH"],
    onMailFrom: (_, __, callback) => {
      state.asked += 1;
      if (state.isOpen) return callback();
      callback(Object.assign(new Error("Try again later"), { responseCode: 451 }));
    },
    onData: (stream, { envelope }, callback) => {
      state.taken.push(envelope.rcptTo.map(({ address }) => address).join());
      stream.resume().on("end", () => callback());
    },
  });
  server.listen(0);
  await once(server.server, "listening");
  const { port } = server.server.address() as AddressInfo;
  settings = { SMTP_URL: `smtp://localhost:${port}`, MAIL_FROM: "notes@example.com" };
});

afterAll(async () => {
  await folder?.remove();
  server?.close();
});

const start = (): Promise<Service> => startService(join(folder.path, "state"), settings);

/** Runs the service until a condition holds. */
async function runUntil(condition: (output: string) => boolean): Promise<void> {
  const service = await start();
  await until(
    () => condition(service.output()),
    () => `in vain:\n${service.output()}`,
  );
  await service.stop();
}

/** A zone in which an hour has begun at most half an hour ago: a mail that was refused is tried for an hour. */
const ZONES = [
  { timezone: "UTC", ahead: 0 },
  { timezone: "Asia/Kolkata", ahead: 30 + 5 * 60 },
];

/** Somebody whose day is to be mailed since the beginning of this hour. */
async function expectingMail(): Promise<void> {
  const service = await start();
  const token = await register(service.apiUrl, ADA);
  const send = async (method: string, path: string, body: object) => {
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const answer = await fetch(service.apiUrl + path, { method, headers, body: JSON.stringify(body) });
    expect(answer.ok, await answer.text()).toBe(true);
  };
  const at = new Date();
  const half = at.getUTCMinutes() < 30 ? 0 : 1;
  at.setUTCMinutes(half * 30, 0, 0);
  const { timezone, ahead } = ZONES[half] as (typeof ZONES)[number];
  const local = new Date(at.getTime() + ahead * 60_000);
  const due_date = local.toISOString().slice(0, 10);
  await send("POST", "/api/memories", { memory_type: "commitment", topic: "Slides", content: "C", due_date });
  await service.stop();
  const database = openState(join(folder.path, "state"));
  database.prepare("UPDATE users SET email_verified_at = created_at, timezone = ?").run(timezone);
  database
    .prepare("INSERT INTO reminders (owner, mail_hour, push_hour, mail_at) SELECT number, ?, 8, ? FROM users")
    .run(local.getUTCHours(), at.toISOString());
  database.close();
}

test("a mail that the server takes later is sent by the next run, and once", async () => {
  await expectingMail();
  state.asked = 0;
  await runUntil((output) => output.includes("Try again later"));
  expect(state.asked).toBeGreaterThan(0);
  expect(state.taken).toEqual([]);
  state.isOpen = true;
  await runUntil(() => state.taken.length > 0);
  const asked = state.asked;
  const service = await start();
  await fetch(`${service.apiUrl}/health`);
  await service.stop();
  expect([state.taken, state.asked]).toEqual([[ADA.email], asked]);
});
