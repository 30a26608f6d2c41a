import { env } from "cloudflare:workers";
import { Buffer } from "node:buffer";
import { z } from "zod";
import type { Env } from "../../env.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { AppError, badRequest } from "../../platform/core/errors.ts";
import { fetchFrom, reachOf, refusalOf } from "../../platform/http/outbound.ts";
import { attachFile, type Holder } from "./link-store.ts";
import { storeFile } from "./upload-store.ts";

// Files that an assistant gives with what it writes: their bytes, or where they are.

const MOST_FILES = 10;
const MOST_BYTES = 20_000_000;
const PATIENCE_MS = 20_000;
const MOST_REDIRECTS = 3;

// Three tools have it: it is published in words, which are shorter.
const GivenFile = z
  .strictObject({
    name: z.string().max(255).optional(),
    data: z.string().optional(),
    url: z.string().max(4000).optional(),
  })
  .meta({ properties: {}, additionalProperties: {} });
type GivenFile = z.infer<typeof GivenFile>;

/** The parameter of a tool. A request has 1 MB, and so has `data` at most. */
export const GivenFiles = z
  .array(GivenFile)
  .max(MOST_FILES)
  .optional()
  .meta({ description: "Each has name, and data (base64) or url" });

type Bytes = { name: string; bytes: Uint8Array<ArrayBuffer> };

function decoded({ name, data = "" }: GivenFile): Bytes {
  const plain = data.replace(/^data:[^,]{0,200},/, "").replace(/\s/g, "");
  const bytes = new Uint8Array(Buffer.from(plain, "base64"));
  if (bytes.length === 0 || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(plain))
    throw badRequest("files: data must be the bytes in base64");
  return { name: name ?? "Untitled", bytes };
}

/** Follows a few redirects, each address checked like the first. Throws 400. */
async function answerOf(url: string): Promise<Response> {
  const reach = reachOf(env as unknown as Env);
  const signal = AbortSignal.timeout(PATIENCE_MS);
  let at = url;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const address = URL.parse(at);
    const refusal = address ? refusalOf(address, reach) : "must be an address";
    if (!address || refusal) throw badRequest(`files: ${at} ${refusal}`);
    const answer = await fetchFrom(reach)(address.href, { signal });
    const next = answer.headers.get("Location");
    if (answer.status < 300 || answer.status >= 400 || !next) return answer;
    await answer.body?.cancel();
    at = new URL(next, address).href;
  }
  throw badRequest(`files: ${url} leads on too often`);
}

async function bytesOf(answer: Response, url: string): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of answer.body ?? []) {
    size += piece.length;
    if (size > MOST_BYTES) throw badRequest(`files: ${url} has more than 20 MB`);
    pieces.push(piece);
  }
  return new Uint8Array(Buffer.concat(pieces));
}

async function fetched({ name, url = "" }: GivenFile): Promise<Bytes> {
  const reading = answerOf(url).then(async (answer) => {
    if (!answer.ok) throw badRequest(`files: ${url} answered ${answer.status}`);
    return { answer, bytes: await bytesOf(answer, url) };
  });
  const { bytes } = await reading.catch((problem: unknown) => {
    if (problem instanceof AppError) throw problem;
    throw badRequest(`files: ${url} could not be fetched within 20 seconds, or is not a public address`);
  });
  const last = decodeURIComponent(
    new URL(url).pathname
      .split("/")
      .at(-1)
      ?.replace(/%(?![\da-f]{2})/gi, "%25") ?? "",
  );
  return { name: name ?? (last || "Untitled"), bytes };
}

const readGiven = (file: GivenFile): Bytes | Promise<Bytes> => {
  if ((file.data === undefined) === (file.url === undefined))
    throw badRequest("files: each has either data (base64) or url");
  return file.data === undefined ? fetched(file) : decoded(file);
};

/** Stores what was given, before anything refers to it: what is refused refuses all. Returns their ids. Throws 400, 403, 501. */
export async function storeGiven(ctx: Ctx, given: readonly GivenFile[] = []): Promise<string[]> {
  const ids: string[] = [];
  for (const one of given) {
    const { name, bytes } = await readGiven(one);
    const { file } = await storeFile(ctx, { name, bytes: bytes.length, body: new Blob([bytes]).stream() });
    ids.push(file.id);
  }
  return ids;
}

/** Attaches what was stored; returns the names of the files. */
export async function attachGiven(
  ctx: Ctx,
  ids: readonly string[],
  holder: Holder,
): Promise<{ files?: string[] }> {
  for (const id of ids) await attachFile(ctx, id, holder);
  return ids.length === 0 ? {} : { files: ids.map((id) => `file:${id}`) };
}
