import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { z } from "zod";
import type { DocumentExportLine } from "../src/contract/document.ts";
import { MAX_UPLOAD_BYTES, UPLOAD_PART_BYTES } from "../src/contract/file.ts";
import {
  closingLines,
  exportTally,
  FORMAT,
  lineBytes,
  SCHEMA_VERSION,
} from "../src/features/export/format.ts";
import { memoryOf } from "../test/e2e/processes.ts";
import { freePorts, register } from "../test/e2e/service.ts";
import { here, startCopy } from "./copies.ts";
import { printTable } from "./table.ts";
import { makeText } from "./texts.ts";

// The memory of `npm start` while somebody imports and exports 200 MB in documents of the largest size.

const DOCUMENTS = 220;
const CHARACTERS = 900_000;
const ACCOUNT = { email: "bench@example.com", password: "a password for the bench" };
const REST_MS = 5000;
const SAMPLE_MS = 250;
const GOAL = "600";

/** An exported document with a text of the largest size. */
function documentLine(number: number): z.infer<typeof DocumentExportLine> {
  const at = new Date().toISOString();
  return {
    type: "document",
    id: randomUUID(),
    title: `Document ${number}`,
    content: { text: makeText("Latin", CHARACTERS + number) },
    folder_id: null,
    tags: [],
    source_type: "api",
    version: 1,
    created_at: at,
    updated_at: at,
    changed_at: at,
    writer_source_type: "api",
    writer_client_name: null,
    trashed_at: null,
  };
}

/** An export, made while it is read. */
function* exportFile(): Generator<Uint8Array> {
  const passed = exportTally();
  const line = (type: string, value: object) => {
    const bytes = lineBytes(JSON.stringify(value));
    passed.add(type, bytes);
    return bytes;
  };
  const header = { type: "header", format: FORMAT, schema_version: SCHEMA_VERSION };
  yield line("header", { ...header, exported_at: new Date().toISOString() });
  for (let number = 0; number < DOCUMENTS; number++) yield line("document", documentLine(number));
  yield* closingLines(passed);
}

/** The most memory that the processes have while `work` runs, in megabytes. */
async function peakDuring(pid: number, work: () => Promise<unknown>): Promise<number> {
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, memoryOf(pid) ?? Number.NaN);
  }, SAMPLE_MS);
  await work().finally(() => clearInterval(timer));
  return peak;
}

/** The headers of a new session: a token is valid for 15 minutes, and an import may take longer. */
async function signIn(apiUrl: string): Promise<Record<string, string>> {
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(`${apiUrl}/api/auth/login`, {
    method: "POST",
    headers,
    body: JSON.stringify(ACCOUNT),
  });
  const { access_token } = (await answer.json()) as { access_token: string };
  return { Authorization: `Bearer ${access_token}` };
}

/** On a busy machine an import goes on after its answer. */
async function untilImported(apiUrl: string, headers: Record<string, string>, id: string): Promise<void> {
  for (let status = ""; status !== "done"; await sleep(SAMPLE_MS)) {
    const answer = await fetch(`${apiUrl}/api/import/${id}`, { headers });
    if (!answer.ok) throw new Error(`import: ${answer.status} ${await answer.text()}`);
    ({ status } = (await answer.json()) as { status: string });
  }
}

/** Sends an import. Not with fetch, which gives up when an answer takes five minutes. */
async function importFile(apiUrl: string, headers: Record<string, string>): Promise<void> {
  const sent = request(`${apiUrl}/api/import`, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/x-ndjson" },
  });
  const answered = once(sent, "response") as Promise<[IncomingMessage]>;
  await pipeline(Readable.from(exportFile()), sent);
  const [answer] = await answered;
  const said = await text(answer);
  if (answer.statusCode === 202)
    await untilImported(apiUrl, headers, (JSON.parse(said) as { id: string }).id);
  else if (answer.statusCode !== 200) throw new Error(`import: ${answer.statusCode} ${said}`);
}

async function readExport(apiUrl: string, headers: Record<string, string>): Promise<void> {
  const answer = await fetch(`${apiUrl}/api/export`, { headers });
  let bytes = 0;
  for await (const chunk of answer.body ?? []) bytes += chunk.length;
  if (bytes < DOCUMENTS * CHARACTERS) throw new Error(`export: ${answer.status}, ${bytes} bytes`);
}

/** Uploads a file of the largest size in parts, and reads it again. */
async function passFile(apiUrl: string, headers: Record<string, string>): Promise<void> {
  const ask = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${apiUrl}/api/files${path}`, {
      ...init,
      headers: { ...headers, ...init.headers },
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  const begun = await ask("/uploads", {
    method: "POST",
    body: JSON.stringify({ name: "large.bin", bytes: MAX_UPLOAD_BYTES }),
    headers: { "Content-Type": "application/json" },
  });
  const { id, parts } = (await begun.json()) as { id: string; parts: number };
  const bytes = randomBytes(UPLOAD_PART_BYTES);
  for (let part = 1; part <= parts; part++) {
    const body = part < parts ? bytes : bytes.subarray(0, MAX_UPLOAD_BYTES - (parts - 1) * UPLOAD_PART_BYTES);
    await (await ask(`/${id}/parts/${part}`, { method: "PUT", body })).arrayBuffer();
  }
  await (await ask(`/${id}/complete`, { method: "POST" })).arrayBuffer();
  let read = 0;
  for await (const chunk of (await ask(`/${id}`)).body ?? []) read += chunk.length;
  if (read !== MAX_UPLOAD_BYTES) throw new Error(`${read} bytes of the file were read`);
}

/** Measures and prints the memory of `npm start` at rest and while a large file passes, and during a large import and export. Linux only. */
export async function benchMemory(stateDir: string): Promise<void> {
  const { apiUrl, pid, stop } = await startCopy(here, stateDir, await freePorts());
  await sleep(REST_MS);
  const idle = memoryOf(pid) ?? Number.NaN;
  await register(apiUrl, ACCOUNT);
  const passed = await peakDuring(pid, async () => passFile(apiUrl, await signIn(apiUrl)));
  const imported = await peakDuring(pid, async () => importFile(apiUrl, await signIn(apiUrl)));
  const exported = await peakDuring(pid, async () => readExport(apiUrl, await signIn(apiUrl)));
  await sleep(REST_MS);
  const rows = [
    ["before the first request", idle],
    ["at most while a file of 1 GB is uploaded and read", passed],
    ["at most during an import of 200 MB", imported],
    ["at most during its export", exported],
    ["at rest afterwards", memoryOf(pid) ?? Number.NaN],
  ] as const;
  await stop();
  printTable(
    "Memory of npm start, MB (PSS of all processes)",
    ["", here.name, "goal"],
    rows.map(([name, megabytes]) => [name, megabytes.toFixed(0), GOAL]),
  );
}
