import type { Context } from "hono";
import { base64url } from "jose";
import { sha256 } from "../../platform/core/bytes.ts";
import { matchesEtag } from "../../platform/http/etag.ts";

type Published = { bytes: ArrayBuffer; etag: string };

/** Serves a JSON text that is the same for all requests. It is generated once, because that blocks the thread. */
export function publishJson(build: () => unknown): (c: Context) => Promise<Response> {
  let text: string | undefined;
  let published: Published | undefined;
  return async (c) => {
    text ??= JSON.stringify(build());
    const current = published ?? {
      bytes: new Uint8Array(new TextEncoder().encode(text)).buffer,
      etag: `"${base64url.encode(await sha256(text)).slice(0, 16)}"`,
    };
    published = current;
    const { bytes, etag } = current;
    const headers = { ETag: etag, "Cache-Control": "no-cache" };
    if (matchesEtag(c.req.header("If-None-Match"), etag)) return c.body(null, 304, headers);
    return c.body(bytes, 200, { ...headers, "Content-Type": "application/json" });
  };
}
