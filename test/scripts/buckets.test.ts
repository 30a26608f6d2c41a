import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { localBucket, namedBucket } from "../../scripts/common/bucket.ts";
import { signInToCloudflare } from "../../scripts/common/cloudflare.ts";
import { claimState } from "../../scripts/common/state.ts";
import { deleteBucket } from "../../scripts/deploy/bucket.ts";

// What the operator's commands do when a bucket or a state folder refuses.

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "commonplace-buckets-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

async function serve(answer: RequestListener): Promise<number> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const cloudflareAt = (port: number) =>
  signInToCloudflare({
    CLOUDFLARE_API_TOKEN: "token",
    CLOUDFLARE_ACCOUNT_ID: "account",
    CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${port}`,
  });

test("deleting a bucket ends, also if one of its objects stays", async () => {
  const deleted: string[] = [];
  const cloudflare = await cloudflareAt(
    await serve(({ method, url }, response) => {
      if (method === "DELETE") deleted.push(String(url));
      const isBucket = method === "DELETE" && String(url).endsWith("/buckets/files");
      const errors = isBucket ? [{ code: 10008, message: "The bucket is not empty" }] : [];
      const body = { success: !isBucket, errors, result: method === "GET" ? [{ key: "a/b" }] : {} };
      response.writeHead(isBucket ? 409 : 200).end(JSON.stringify(body));
    }),
  );
  await expect(deleteBucket(cloudflare, "files")).rejects.toThrow("not empty");
  const bucket = "/accounts/account/r2/buckets/files";
  expect(deleted).toEqual([`${bucket}/objects/a%2Fb`, bucket]);
});

test("a file is sent to Cloudflare with its length", async () => {
  const file = join(newFolder(), "file");
  const bytes = Buffer.alloc(3_000_000, "commonplace");
  writeFileSync(file, bytes);
  const received = Promise.withResolvers<{ length: string | undefined; bytes: Buffer }>();
  const port = await serve(async (request, response) => {
    received.resolve({ length: request.headers["content-length"], bytes: await buffer(request) });
    response.end("{}");
  });
  await namedBucket(await cloudflareAt(port), "files").write("a/b", file);
  const { length, bytes: sent } = await received.promise;
  expect(length).toBe(String(bytes.length));
  expect(sent.equals(bytes)).toBe(true);
});

test("a running copy that does not delete a file is an error", async () => {
  const state = newFolder();
  const port = await serve(({ method }, response) => {
    response.writeHead(method === "DELETE" ? 500 : 200).end(JSON.stringify({ results: [[]] }));
  });
  writeFileSync(join(state, "operator"), JSON.stringify({ port, secret: "secret", address: "" }));
  const bucket = await localBucket(state);
  await expect(bucket?.remove("a/b")).rejects.toThrow("The running copy answered 500");
});

test("a state folder is free again after a start that could not mark it", () => {
  const settings = { stateDir: newFolder(), apiUrl: "http://localhost:8000" };
  const marker = join(settings.stateDir, "running");
  mkdirSync(marker);
  expect(() => claimState(settings, "npm start")).toThrow("must be a file");
  rmdirSync(marker);
  claimState(settings, "npm start").release();
});
