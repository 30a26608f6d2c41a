import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { type ClientRequest, request } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, expect, test } from "vitest";
import { localBucket } from "../../scripts/common/bucket.ts";
import { requireDatabaseFile } from "../../scripts/common/local-database.ts";
import { UPLOAD_PART_BYTES } from "../../src/contract/file.ts";
import { ADA } from "./accounts.ts";
import { folder, start } from "./instances.ts";
import { register, type Service } from "./service.ts";
import { openState } from "./state.ts";

// Uploads that break off: by kill -9 of the service, and by the network.

/** How often in each way; the nightly run does it more often. */
const TIMES = Number(process.env.FILES_KILLS ?? 1);
const SIZE = 2 * UPLOAD_PART_BYTES + 1_000_000;

let stateDir: string;
let service: Service;
let token: string;

beforeEach(async () => {
  stateDir = await folder();
  service = await start(stateDir);
  token = await register(service.apiUrl, ADA);
});

const sha256Of = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const headers = () => ({ Authorization: `Bearer ${token}` });
const ask = (path: string, init: RequestInit = {}) =>
  fetch(`${service.apiUrl}/api/files${path}`, { ...init, headers: { ...headers(), ...init.headers } });

/** Sends the first bytes of a body, does something, and never sends the rest. */
async function breakOff(
  { method, path, bytes, sent }: { method: string; path: string; bytes: Uint8Array; sent: number },
  then: (asked: ClientRequest) => unknown,
): Promise<void> {
  const asked = request(`${service.apiUrl}/api/files${path}`, {
    method,
    headers: { ...headers(), "Content-Length": bytes.length },
  });
  const gone = new Promise((done) => asked.once("close", done).once("error", done));
  asked.write(bytes.subarray(0, sent));
  if (asked.writableNeedDrain) await Promise.race([once(asked, "drain"), gone]);
  await then(asked);
  asked.destroy();
  await gone;
}

/** The keys of the bucket, and those that the rows tell of, while the service is stopped. */
async function compare(): Promise<[keys: string[], rows: string[]]> {
  const bucket = await localBucket(stateDir);
  const keys: string[] = [];
  for await (const key of bucket?.keys() ?? []) keys.push(key);
  await bucket?.close();
  const database = openState(stateDir);
  const rows = database
    .prepare("SELECT u.id || '/' || f.id AS key FROM files AS f JOIN users AS u ON u.number = f.owner")
    .all()
    .map(({ key }) => String(key));
  database.close();
  return [keys.sort(), rows.sort()];
}

/** Makes abandoned uploads a day old; the service ends them when it starts. */
async function letDayPass(): Promise<void> {
  const database = openState(stateDir);
  database.exec("UPDATE file_uploads SET due_at = '2026-01-01T00:00:00.000Z'");
  database.close();
}

const leftUploads = () => {
  const database = new DatabaseSync(requireDatabaseFile(stateDir), { readOnly: true });
  const row = database.prepare("SELECT count(*) AS count FROM file_uploads").get();
  database.close();
  return row?.count;
};

test("an upload goes on after kill -9 and a cut connection, and the file is the same byte for byte", {
  timeout: 1_200_000,
}, async () => {
  const bytes = randomBytes(SIZE);
  const partOf = (part: number) => bytes.subarray((part - 1) * UPLOAD_PART_BYTES, part * UPLOAD_PART_BYTES);
  const begun = await ask("/uploads", {
    method: "POST",
    body: JSON.stringify({ name: "talk.bin", bytes: SIZE, sha256: sha256Of(bytes) }),
    headers: { "Content-Type": "application/json" },
  });
  const { id } = (await begun.json()) as { id: string };
  const received = async () =>
    ((await (await ask(`/${id}/parts`)).json()) as { received: number[] }).received;
  const send = async (part: number) =>
    expect((await ask(`/${id}/parts/${part}`, { method: "PUT", body: partOf(part) })).status).toBe(200);
  await send(3);
  for (let time = 0; time < TIMES; time++) {
    const sent = Math.floor(((time + 1) / (TIMES + 1)) * UPLOAD_PART_BYTES);
    const part = { method: "PUT", path: `/${id}/parts/1`, bytes: partOf(1), sent };
    await breakOff(part, (asked) => asked.destroy());
    expect(await received()).toEqual([3]);
    await breakOff(part, () => service.kill());
    service = await start(stateDir);
    expect(await received()).toEqual([3]);
  }
  await send(1);
  await send(2);
  expect((await ask(`/${id}/complete`, { method: "POST" })).status).toBe(201);
  const whole = await ask(`/${id}`);
  expect(sha256Of(new Uint8Array(await whole.arrayBuffer()))).toBe(sha256Of(bytes));
  await service.kill();
  const [keys, rows] = await compare();
  expect(keys).toEqual(rows);
  service = await start(stateDir);
  expect((await ask(`/${id}`, { headers: { Range: "bytes=0-9" } })).status).toBe(206);
});

test("what was sent whole and broke off leaves no orphan in the bucket", { timeout: 1_200_000 }, async () => {
  const bytes = randomBytes(UPLOAD_PART_BYTES);
  for (let time = 0; time < TIMES; time++) {
    const sent = Math.floor(((time + 1) / (TIMES + 1)) * bytes.length);
    const upload = { method: "POST", path: "", bytes, sent };
    await breakOff(upload, (asked) => asked.destroy());
    await breakOff(upload, () => service.kill());
    await letDayPass();
    service = await start(stateDir);
    await expect.poll(leftUploads, { timeout: 180_000 }).toBe(0);
  }
  const kept = await ask("", { method: "POST", body: bytes });
  expect(kept.status).toBe(201);
  await service.stop();
  const [keys, rows] = await compare();
  expect([keys, rows.length]).toEqual([rows, 1]);
});
