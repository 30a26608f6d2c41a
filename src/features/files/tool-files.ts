import { env } from "cloudflare:workers";
import { Buffer } from "node:buffer";
import { z } from "zod";
import type { Env } from "../../env.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { AppError, badRequest } from "../../platform/core/errors.ts";
import { addressPolicy, addressProblem, fetchWithPolicy } from "../../platform/http/outbound.ts";
import { attachFile, type FileHolder } from "./link-store.ts";
import { storeFile } from "./upload-store.ts";

// Files that an assistant attaches to what it writes, as bytes or as a URL.

const MAX_FILES = 10;
const MAX_BYTES = 20_000_000;
const TIMEOUT_MS = 20_000;
const MAX_REDIRECTS = 3;

// Published as a description instead of a schema, which is shorter: three tools have this parameter.
const GivenFile = z
  .strictObject({
    name: z.string().max(255).optional(),
    data: z.string().optional(),
    url: z.string().max(4000).optional(),
  })
  .meta({ properties: {}, additionalProperties: {} });
type GivenFile = z.infer<typeof GivenFile>;

/** The parameter of tools. `data` is limited by the 1 MB of a request. */
export const FilesParameter = z
  .array(GivenFile)
  .max(MAX_FILES)
  .optional()
  .meta({ description: "Each has name, and data (base64) or url" });

type FileContent = { name: string; bytes: Uint8Array<ArrayBuffer> };

function decodeFile({ name, data = "" }: GivenFile): FileContent {
  const plain = data.replace(/^data:[^,]{0,200},/, "").replace(/\s/g, "");
  const bytes = new Uint8Array(Buffer.from(plain, "base64"));
  if (bytes.length === 0 || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(plain))
    throw badRequest("files: data must be the bytes in base64");
  return { name: name ?? "Untitled", bytes };
}

/** Follows a few redirects, checking each URL like the first. Throws 400. */
async function fetchPublic(url: string): Promise<Response> {
  const reach = addressPolicy(env as unknown as Env);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  let current = url;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const address = URL.parse(current);
    const refusal = address ? addressProblem(address, reach) : "is not a valid URL";
    if (!address || refusal) throw badRequest(`files: ${current} ${refusal}`);
    const answer = await fetchWithPolicy(reach)(address.href, { signal });
    const next = answer.headers.get("Location");
    if (answer.status < 300 || answer.status >= 400 || !next) return answer;
    await answer.body?.cancel();
    current = new URL(next, address).href;
  }
  throw badRequest(`files: ${url} has too many redirects`);
}

async function readBody(answer: Response, url: string): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of answer.body ?? []) {
    size += piece.length;
    if (size > MAX_BYTES) throw badRequest(`files: ${url} has more than 20 MB`);
    pieces.push(piece);
  }
  return new Uint8Array(Buffer.concat(pieces));
}

/** The last part of the path, decoded. What is not UTF-8 becomes U+FFFD, unlike with `decodeURIComponent`, which throws. */
function nameInUrl(url: string): string {
  const last = new URL(url).pathname.split("/").at(-1) ?? "";
  const decoded = new URLSearchParams(`name=${last.replace(/[+&]/g, encodeURIComponent)}`).get("name");
  return decoded || "Untitled";
}

async function fetchFile({ name, url = "" }: GivenFile): Promise<FileContent> {
  const reading = fetchPublic(url).then((answer) => {
    if (!answer.ok) throw badRequest(`files: ${url} answered ${answer.status}`);
    return readBody(answer, url);
  });
  const bytes = await reading.catch((problem: unknown) => {
    if (problem instanceof AppError) throw problem;
    throw badRequest(`files: ${url} could not be fetched within 20 seconds, or is not public`);
  });
  return { name: name ?? nameInUrl(url), bytes };
}

const readFile = (file: GivenFile): FileContent | Promise<FileContent> => {
  if ((file.data === undefined) === (file.url === undefined))
    throw badRequest("files: each has either data (base64) or url");
  return file.data === undefined ? fetchFile(file) : decodeFile(file);
};

/** Stores files before any is attached, so that a rejected one rejects all. Returns their ids. Throws 400, 403, 501. */
export async function storeToolFiles(ctx: Ctx, given: readonly GivenFile[] = []): Promise<string[]> {
  const ids: string[] = [];
  for (const one of given) {
    const { name, bytes } = await readFile(one);
    const { file } = await storeFile(ctx, { name, bytes: bytes.length, body: new Blob([bytes]).stream() });
    ids.push(file.id);
  }
  return ids;
}

/** Attaches stored files; returns their ids as tools show them. */
export async function attachToolFiles(
  ctx: Ctx,
  ids: readonly string[],
  holder: FileHolder,
): Promise<{ files?: string[] }> {
  for (const id of ids) await attachFile(ctx, id, holder);
  return ids.length === 0 ? {} : { files: ids.map((id) => `file:${id}`) };
}
