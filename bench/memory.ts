import { randomBytes, randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { MAX_UPLOAD_BYTES, UPLOAD_PART_BYTES } from "../src/contract/file.ts";
import { memoryOf } from "../test/e2e/processes.ts";
import { chunksOf, LINES } from "../test/kit/import-lines.ts";
import { type Account, importFile, newAccount } from "./account.ts";
import { here, startCopy } from "./copies.ts";
import { printTable } from "./figures.ts";
import { makeText } from "./texts.ts";

// The memory of `npm start` during an import and export of 200 MB in documents of the maximum size. Linux only.

const DOCUMENTS = 220;
const CHARACTERS = 900_000;
const REST_MS = 5000;
const SAMPLE_MS = 250;
const GOAL = "600";

function* largeDocuments() {
  for (let number = 0; number < DOCUMENTS; number++)
    yield {
      ...{ ...LINES.document, id: randomUUID(), title: `Document ${number}`, folder_id: null, tags: [] },
      content: { format: "markdown", text: makeText(CHARACTERS + number) },
    };
}

/** The peak memory of the processes during `work`, in megabytes. */
async function peakDuring(pid: number, work: () => Promise<unknown>): Promise<number> {
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, memoryOf(pid) ?? Number.NaN);
  }, SAMPLE_MS);
  await work().finally(() => clearInterval(timer));
  return peak;
}

/** Reads an answer and discards it. Throws if it has fewer bytes. */
async function read({ apiUrl, headers }: Account, path: string, bytes: number): Promise<void> {
  const answer = await fetch(apiUrl + path, { headers: headers() });
  let found = 0;
  for await (const chunk of answer.body ?? []) found += chunk.length;
  if (found < bytes) throw new Error(`${path}: ${answer.status}, ${found} bytes`);
}

/** Uploads a file of the maximum size in parts, and downloads it. */
async function passFile(account: Account): Promise<void> {
  const begun = { name: "large.bin", bytes: MAX_UPLOAD_BYTES };
  const { id, parts } = await account.ask<{ id: string; parts: number }>("POST", "/api/files/uploads", begun);
  const bytes = randomBytes(UPLOAD_PART_BYTES);
  for (let part = 1; part <= parts; part++) {
    const body = part < parts ? bytes : bytes.subarray(0, MAX_UPLOAD_BYTES - (parts - 1) * UPLOAD_PART_BYTES);
    await account.send("PUT", `/api/files/${id}/parts/${part}`, body, {
      "Content-Type": "application/octet-stream",
    });
  }
  await account.send("POST", `/api/files/${id}/complete`);
  await read(account, `/api/files/${id}`, MAX_UPLOAD_BYTES);
}

/** Measures and prints the memory at rest, and during transfers of a large file and a large account. */
export async function benchMemory(stateDir: string): Promise<void> {
  const { pid, stop, ...urls } = await startCopy(here, stateDir);
  await sleep(REST_MS);
  const idle = memoryOf(pid) ?? Number.NaN;
  const account = await newAccount(urls, "bench");
  const passed = await peakDuring(pid, () => passFile(account));
  const imported = await peakDuring(pid, () =>
    importFile(account, Readable.from(chunksOf(largeDocuments()))),
  );
  await account.signIn();
  const exported = await peakDuring(pid, () => read(account, "/api/export", DOCUMENTS * CHARACTERS));
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
