import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { startFrontOf } from "./fronts.ts";

// What the front of `npm start` does with answers.

type Asked = { method?: string; headers?: Record<string, string> };

/** An answer as it was sent; fetch would have decoded it. */
async function ask(url: string, { method = "GET", headers = {} }: Asked = {}) {
  const outgoing = request(url, { method, headers }).end();
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, body: await buffer(answer) };
}

const DECODED: Record<string, (body: Buffer) => Buffer> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  none: (body) => body,
};

const LONG = JSON.stringify({ items: Array(200).fill("packing list") });

test("answers are compressed as the client likes, and say so", async () => {
  const url = await startFrontOf(
    createServer((_, response) => {
      response.writeHead(200, { "Content-Type": "application/json", ETag: '"v3"', Vary: "Origin" }).end(LONG);
    }),
  );
  const likes: [string | undefined, string][] = [
    ["gzip, deflate, br, zstd", "br"],
    ["gzip, deflate", "gzip"],
    ["GZIP", "gzip"],
    ["br;q=0.5, gzip;q=0.8", "gzip"],
    ["br;q=0, *", "gzip"],
    ["*", "br"],
    ["identity, gzip;q=0.5", "none"],
    ["gzip;q=0", "none"],
    ["deflate", "none"],
    ["", "none"],
    [undefined, "none"],
  ];
  for (const [accepted, coding] of likes) {
    const answer = await ask(url, accepted === undefined ? {} : { headers: { "Accept-Encoding": accepted } });
    expect(answer.headers["content-encoding"] ?? "none", accepted).toBe(coding);
    expect(DECODED[coding]?.(answer.body).toString(), accepted).toBe(LONG);
    expect(answer.headers.vary, accepted).toBe("Origin, Accept-Encoding");
    // The same text in another coding is another representation.
    expect(answer.headers.etag, accepted).toBe(coding === "none" ? '"v3"' : `"v3-${coding}"`);
    if (coding !== "none") expect(answer.body.length).toBeLessThan(LONG.length / 10);
  }
  const head = await ask(url, { method: "HEAD", headers: { "Accept-Encoding": "gzip" } });
  expect([head.headers["content-encoding"], head.headers.vary]).toEqual([
    undefined,
    "Origin, Accept-Encoding",
  ]);
});

test("what would gain nothing is not compressed: short answers, pictures, parts, what is compressed, events", async () => {
  type Given = { status?: number; headers: Record<string, string>; body?: string };
  const json = { "Content-Type": "application/json" };
  const kept: Given[] = [
    { headers: { ...json, "Content-Length": "2" }, body: "{}" },
    { headers: { "Content-Type": "image/png" }, body: LONG },
    { headers: { "Content-Type": "text/event-stream" }, body: LONG },
    { headers: { ...json, "Content-Encoding": "deflate" }, body: LONG },
    { headers: { ...json, "Cache-Control": "no-transform" }, body: LONG },
    { headers: { ...json, "Content-Range": "bytes 0-1/9" }, status: 206, body: LONG },
    { headers: {}, body: LONG },
    { headers: json, status: 204 },
  ];
  let given: Given | undefined;
  const url = await startFrontOf(
    createServer((_, response) => {
      response.writeHead(given?.status ?? 200, given?.headers).end(given?.body);
    }),
  );
  for (const one of kept) {
    given = one;
    const answer = await ask(url, { headers: { "Accept-Encoding": "br, gzip" } });
    expect(answer.headers["content-encoding"], JSON.stringify(one)).toBe(one.headers["Content-Encoding"]);
    expect(answer.body.toString()).toBe(one.body ?? "");
  }
});

test("a condition on the ETag of a compressed answer holds for what it stands for", async () => {
  const seen: (string | undefined)[] = [];
  const url = await startFrontOf(
    createServer(({ headers }, response) => {
      seen.push(headers["if-match"], headers["if-none-match"]);
      response.writeHead(headers["if-none-match"] ? 304 : 204, { ETag: '"v3"' }).end();
    }),
  );
  await ask(url, { method: "PATCH", headers: { "If-Match": '"v3-br", "v3-gzip", "v4", W/"v5"' } });
  await ask(url, { method: "PATCH", headers: { "If-Match": "*" } });
  const answer = await ask(url, { headers: { "If-None-Match": '"v2-gzip", "v3-gzip"' } });
  expect([answer.status, answer.headers.etag]).toEqual([304, '"v3-gzip"']);
  expect((await ask(url, { headers: { "If-None-Match": '"v3"' } })).headers.etag).toBe('"v3"');
  expect(seen.filter(Boolean)).toEqual(['"v3", "v3", "v4", W/"v5"', "*", '"v2", "v3"', '"v3"']);
});

test("a compressed answer that breaks off is not taken for a whole one, and a long one is sent as it comes", async () => {
  const more = Promise.withResolvers<void>();
  const noise = Array.from({ length: 20_000 }, () => crypto.randomUUID()).join("");
  const url = await startFrontOf(
    createServer(async (_, response) => {
      response.writeHead(200, { "Content-Type": "application/x-ndjson" }).write(noise);
      await more.promise;
      response.destroy();
    }),
  );
  const outgoing = request(url, { headers: { "Accept-Encoding": "gzip" } }).end();
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  expect(answer.headers["content-encoding"]).toBe("gzip");
  await once(answer, "data");
  more.resolve();
  await expect(buffer(answer)).rejects.toThrow();
});
