import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { DocumentBulkAnswer } from "../../src/contract/document-bulk.ts";
import type { FileList, StoredFile } from "../../src/contract/file.ts";
import { askWith } from "./ask.ts";
import {
  account,
  environment,
  files,
  get,
  importing,
  readDocument,
  registerHere,
  runImport,
  send,
  startWith,
  token,
  writeFiles,
} from "./importer.ts";

// The zip of an account: read by other programs, and imported by `npm run import`.

importing();

const run = promisify(execFile);
const has = (program: string) =>
  run(program, ["--help"]).then(
    () => true,
    ({ code }) => code !== "ENOENT",
  );

const sum = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** Bytes that differ from all others, up to 20 kB; some look like parts of a zip. */
const bytesOf = (number: number) =>
  Buffer.from(`PK\u0003\u0004PK\u0001\u0002 ${number} `.repeat((number * 37) % 1000 || 1));

const NAMES = [
  "picture.png",
  "../../../etc/passwd",
  "CON.txt",
  "a\u0001b/c\\d:e?.pdf",
  "Übersicht März.pdf",
  ".hidden",
  "x".repeat(255),
];

const request = (path: string, bearer = token, { headers, ...init }: RequestInit = {}) =>
  fetch(account.url + path, { ...init, headers: { Authorization: `Bearer ${bearer}`, ...headers } });

async function upload(number: number): Promise<StoredFile> {
  const name = encodeURIComponent(NAMES[number % NAMES.length] ?? "").replace(/['()*]/g, "_");
  const headers = { "Content-Disposition": `attachment; filename*=UTF-8''${name}` };
  const answer = await request("/api/files", token, { method: "POST", headers, body: bytesOf(number) });
  expect(answer.ok, await answer.clone().text()).toBe(true);
  return (await answer.json()) as StoredFile;
}

/** An account with so many files, each named by a document and every tenth attached to one. */
async function fill(count: number): Promise<Set<string>> {
  const stored: StoredFile[] = [];
  for (let number = 0; number < count; number++) stored.push(await upload(number));
  for (let start = 0; start < count; start += 100) {
    const some = stored.slice(start, start + 100);
    const operations = some.map(({ id }, index) => ({
      operation: "create",
      title: index % 3 === 0 ? "The same: title?" : `Note ${start + index}`,
      content: { format: "markdown", text: `![](file:${id})` },
    }));
    const { results } = await send<DocumentBulkAnswer>("POST", "/api/documents/bulk", { operations });
    for (let index = 0; index < some.length; index += 10)
      await send("PUT", `/api/files/${some[index]?.id}/documents/${results[index]?.id}`);
  }
  return new Set(stored.map(({ sha256 }) => sha256));
}

async function download(): Promise<string> {
  const answer = await request("/api/export?format=zip");
  const path = join(files.path, "account.zip");
  await pipeline(Readable.fromWeb(answer.body as never), createWriteStream(path));
  return path;
}

const PYTHON = `
import hashlib, json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as z:
    bad = z.testzip()
    names = z.namelist()
    sums = [hashlib.sha256(z.read(n)).hexdigest() for n in names if n.startswith("Files/")]
print(json.dumps({"bad": bad, "names": names, "sums": sums}))
`;

/** The zip as Python and Info-ZIP read it, where they are. */
async function readByOthers(zip: string, sums: Set<string>): Promise<void> {
  if (await has("unzip")) expect((await run("unzip", ["-tqq", zip])).stdout).toBe("");
  if (!(await has("python3"))) return;
  const { stdout } = await run("python3", ["-c", PYTHON, zip], { maxBuffer: 1e8 });
  const read = JSON.parse(stdout) as { bad: string | null; names: string[]; sums: string[] };
  expect(read.bad).toBeNull();
  expect(new Set(read.sums)).toEqual(sums);
  expect(new Set(read.names.map((name) => name.toLowerCase())).size).toBe(read.names.length);
  const parts = read.names.flatMap((name) => name.split("/"));
  expect(
    parts.filter((part) => part === "" || part.startsWith(".") || /[\p{Cc}\\:*?"<>|]/u.test(part)),
  ).toEqual([]);
}

const filesOf = (bearer: string) => askWith(account.url, bearer)<FileList>("GET", "/api/files?limit=100");

async function bytesOfFile(id: string | undefined, bearer = token): Promise<Buffer> {
  return Buffer.from(await (await request(`/api/files/${id}`, bearer)).arrayBuffer());
}

const COUNT = process.env.NIGHTLY ? 2000 : 60;

/** Imports into a new account. */
async function importElsewhere(path: string, name: string) {
  const email = `${name}-${account.email}`;
  const bearer = await registerHere(email);
  const run = () => startWith({ ...environment(), COMMONPLACE_EMAIL: email }, path).ended;
  return { bearer, run, first: await run() };
}

test(`${COUNT} files come back out of a zip that other programs can read, and a damaged one is named`, {
  timeout: 300_000 + COUNT * 1000,
}, async () => {
  const sums = await fill(COUNT);
  const zip = await download();
  await readByOthers(zip, sums);
  const { bearer, run: runAgain, first } = await importElsewhere(zip, "back");
  expect(first.output).toContain(`${COUNT} documents created, 0 already there`);
  expect(first.output).toContain(`${COUNT} files attached`);
  const { total, items } = await filesOf(bearer);
  expect([first.code, total]).toEqual([0, COUNT]);
  for (const { id, sha256 } of items) {
    expect(sum(await bytesOfFile(id, bearer))).toBe(sha256);
    expect(sums).toContain(sha256);
  }
  const again = await runAgain();
  expect(again.output).toContain(`0 documents created, ${COUNT} already there`);
  expect(again.output).toContain("; 0 files attached");
  expect((await filesOf(bearer)).total).toBe(COUNT);

  if (!(await has("unzip"))) return;
  const folder = join(files.path, "unpacked");
  await run("unzip", ["-q", zip, "-d", folder]);
  await writeFiles({ "unpacked/Files/picture.png": "something else" });
  const unpacked = await importElsewhere(folder, "unpacked");
  expect(unpacked.first.output).toContain(`${COUNT} documents created`);
  expect(unpacked.first.output).toMatch(/Refused: Files\/picture\.png: The bytes do not match the digest/);
  expect([unpacked.first.code, (await filesOf(unpacked.bearer)).total]).toEqual([1, COUNT - 1]);
});

test("a folder of notes comes with its pictures, in a mirror too, and again nothing is written", async () => {
  const picture = bytesOf(5);
  await writeFiles({
    "notes/a.md": "# A\n\n![](img/house%20one.png) ![[plan.pdf]] ![](img/gone.png)\n",
    "notes/img/house one.png": picture,
    "notes/deep/plan.pdf": "%PDF-1.4",
    "notes/other.png": "not needed",
  });
  const notes = join(files.path, "notes");
  const first = await runImport(notes);
  expect(first.output).toContain("1 created");
  expect(first.output).toContain("Linked files: 2.");
  expect(first.output).toContain("Left out: 1 not supported (.png).");
  expect(first.output).toContain("Note: a.md: img/gone.png is missing");
  const { content } = await readDocument("A");
  const [id] = /(?<=!\[\]\(file:)[0-9a-f-]{36}/.exec(String(content?.text)) ?? [];
  expect(await bytesOfFile(id)).toEqual(picture);
  expect(String(content?.text)).toContain("[plan.pdf](file:");
  expect((await runImport(notes)).output).toContain("0 created, 0 updated, 1 skipped");
  expect((await runImport(notes, "--mirror", "--yes")).output).toContain("0 created, 0 updated");
  expect((await get<FileList>("/api/files")).total).toBe(2);
  await run("python3", [
    "-c",
    "import shutil,sys; shutil.make_archive(sys.argv[1], 'zip', sys.argv[1])",
    notes,
  ]);
  // In a folder of the zip's name, but the same document with the same files.
  expect((await runImport(`${notes}.zip`)).output).toContain("0 created, 1 updated");
  expect((await get<FileList>("/api/files")).total).toBe(2);
});
