import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { json } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { readJsonFile } from "./json-file.ts";
import type { TextStatement } from "./local-database.ts";

// How `npm run admin` reaches the databases of a running copy. A second process that writes to the file would make
// requests fail (SQLITE_BUSY), so the process that runs the Worker executes the statements.

/** Where a running copy accepts statements. It is stored in a file that only the copy's owner can read. */
export type OperatorEndpoint = {
  port: number;
  secret: string;
  address: string;
  /** The copy's setting HOMES; missing in files of earlier versions, which have one database. */
  homes?: string;
  /** Where the copy serves MCP; missing in files of earlier versions. */
  mcp_url?: string | undefined;
};

const operatorFile = (stateDir: string) => join(stateDir, "operator");

/** What a copy wrote when it started; it may have been killed since. */
export const readOperatorFile = (stateDir: string): OperatorEndpoint | undefined =>
  readJsonFile(operatorFile(stateDir));

export const removeOperatorFile = (stateDir: string) => rmSync(operatorFile(stateDir), { force: true });

/** Sends a request to a running copy. */
export const callOperator = ({ port, secret }: OperatorEndpoint, path: string, init: RequestInit = {}) =>
  fetch(`http://127.0.0.1:${port}/${path}`, { ...init, headers: { Authorization: `Bearer ${secret}` } });

/** A stream of the web, whose type differs from Node's, as a stream of Node. */
export const toNodeStream = (body: unknown): Readable => Readable.fromWeb(body as ReadableStream<Uint8Array>);

function isAuthorized({ headers }: IncomingMessage, secret: string): boolean {
  const [given, expected] = [Buffer.from(headers.authorization ?? ""), Buffer.from(`Bearer ${secret}`)];
  return given.length === expected.length && timingSafeEqual(given, expected);
}

async function runBatch(database: D1Database, statements: TextStatement[]) {
  try {
    const prepared = statements.map(({ sql, params }) => database.prepare(sql).bind(...params));
    return { results: (await database.batch(prepared)).map(({ results }) => results) };
  } catch (problem) {
    return { error: (problem as Error).message };
  }
}

/** Lists the bucket (`/bucket`), or reads or deletes a key (`/bucket/<key>`). */
async function answerBucket(
  bucket: R2Bucket,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [, , name] = String(request.url).split("/");
  if (name === undefined) {
    const keys: string[] = [];
    for await (const page of bucketKeyPages(bucket)) keys.push(...page);
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(keys));
    return;
  }
  const key = decodeURIComponent(name);
  if (request.method === "DELETE") {
    await bucket.delete(key);
    response.writeHead(204).end();
    return;
  }
  const object = await bucket.get(key);
  if (!object) return void response.writeHead(404).end();
  response.writeHead(200);
  await pipeline(toNodeStream(object.body), response);
}

/** Every key of a bucket, page by page. */
export async function* bucketKeyPages(bucket: R2Bucket): AsyncGenerator<string[]> {
  let cursor: string | undefined;
  do {
    const page = await bucket.list({ ...(cursor && { cursor }) });
    yield page.objects.map(({ key }) => key);
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor);
}

type CopyDetails = { stateDir: string } & Pick<OperatorEndpoint, "address" | "homes" | "mcp_url">;

/**
 * Accepts batches of statements on a loopback port and runs each as one transaction. The path is the binding of the
 * database, or `/bucket`.
 *
 * @param database opens a database by its binding
 * @param bucket opens the bucket of files
 */
export async function openOperatorEndpoint(
  database: (binding: string) => Promise<D1Database>,
  bucket: () => Promise<R2Bucket>,
  { stateDir, ...copy }: CopyDetails,
): Promise<void> {
  const secret = randomBytes(32).toString("base64url");
  const server = createServer(async (request, response) => {
    if (!isAuthorized(request, secret)) return response.writeHead(401).end();
    if (/^\/bucket(\/|$)/.test(String(request.url)))
      return answerBucket(await bucket(), request, response).catch(() => response.destroy());
    const statements = (await json(request)) as TextStatement[];
    const answer = await runBatch(await database(String(request.url).slice(1)), statements);
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(answer));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const operator: OperatorEndpoint = { port, secret, ...copy };
  writeFileSync(operatorFile(stateDir), JSON.stringify(operator), { mode: 0o600 });
}
