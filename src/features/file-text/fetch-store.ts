import { Buffer } from "node:buffer";
import { sql } from "drizzle-orm";
import type { StoredFile } from "../../contract/file.ts";
import type { FileReference } from "../../contract/links.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { badRequest, notFound } from "../../platform/core/errors.ts";
import { files } from "../../platform/db/tables.ts";
import type { ContentBlock } from "../../platform/tools/tool.ts";
import { fileKey, thumbnailKey } from "../files/bytes.ts";
import { columns, type FileRow, ownedById, presentFile, requireBucket } from "../files/row-store.ts";

// A file as returned by the tool `fetch`: text by pages, images as images, anything else as a link.

/** About 10,000 tokens. */
const TEXT_LENGTH = 40_000;

type Page = { page: number; text: string; last: number };

/** The pages from one on that fit into a response, and the number of the last page. */
const pagesStatement = (ctx: Ctx, { id, page }: FileReference) =>
  ctx.db.all<Page>(sql`SELECT page, text, last FROM (
      SELECT page, text, sum(length(text)) OVER (ORDER BY page ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before,
        (SELECT max(page) FROM file_texts AS a WHERE a.owner = ${ctx.owner} AND a.file_id = ${id}) AS last
      FROM file_texts WHERE owner = ${ctx.owner} AND file_id = ${id} AND page >= ${page})
    WHERE before IS NULL OR before + length(text) <= ${TEXT_LENGTH}`);

function unreadText({ text_state, text_note, kind, alt }: StoredFile): string {
  if (text_state === "waiting") return "[Its text is still being read. Fetch it again in a moment]";
  if (text_note !== null) return `[Its text cannot be read. ${text_note}]`;
  return alt ?? (kind === "image" ? "[An image without a caption]" : "[It has no text]");
}

function pagesText(file: StoredFile, { id, page }: FileReference, pages: Page[]): string {
  const [first] = pages;
  if (!first) {
    if (page > 1) throw badRequest(`id: there is no text on page ${page} of file:${id} or after it`);
    return unreadText(file);
  }
  const what = file.pages === null ? "part" : "page";
  const text = pages.map((one) => `[${what} ${one.page}]\n${one.text}`).join("\n\n");
  const next = (pages.at(-1)?.page ?? page) + 1;
  return next <= first.last ? `${text}\n\n[fetch file:${id}#${next} to continue]` : text;
}

export const fileUrl = ({ public_url = "" }: Ctx, id: string) => `${public_url}/api/files/${id}`;

/** A file from a page on. Throws 404, 400 for a missing page, and 501 without file storage. */
export async function fetchFile(ctx: Ctx, reference: FileReference) {
  requireBucket(ctx);
  const { id } = reference;
  const [[row], pages] = await ctx.db.batch([
    ctx.db.select(columns).from(files).where(ownedById(ctx, id)),
    pagesStatement(ctx, reference),
  ]);
  if (!row) throw notFound("id");
  const file = await presentFile(ctx, row as FileRow);
  const { type, bytes, width, height, alt, text_state, text_note, document_ids, memory_ids, created_at } =
    file;
  return {
    title: file.name,
    text: pagesText(file, reference, pages),
    metadata: {
      type,
      bytes,
      pages: file.pages,
      width,
      height,
      alt,
      created_at,
      ...(text_state === "cut" && { text_note }),
      ...(document_ids.length > 0 && { document_ids: document_ids.map((one) => `doc:${one}`) }),
      ...(memory_ids.length > 0 && { record_ids: memory_ids.map((one) => `mem:${one}`) }),
    },
  };
}

/** Image types that models and clients support. */
const IMAGE_TYPES: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/** Size limit in bytes up to which an image is returned as it is. */
const MAX_IMAGE_BYTES = 1_000_000;
const MAX_IMAGE_WIDTH = 1000;

async function imageBlocks(
  ctx: Ctx,
  { id, type, bytes, thumbnails, width, height }: StoredFile,
): Promise<ContentBlock[]> {
  const key = fileKey((await ctx.user()).id, id);
  const isSmall =
    bytes <= MAX_IMAGE_BYTES &&
    Math.max(width ?? 0, height ?? 0) <= MAX_IMAGE_WIDTH &&
    IMAGE_TYPES.includes(type);
  const known = [...thumbnails].sort((one, other) => other - one)[0];
  const shown = isSmall ? key : known === undefined ? undefined : thumbnailKey(key, known);
  const found = shown === undefined ? undefined : await requireBucket(ctx).get(shown);
  if (!found) return [];
  const data = Buffer.from(await found.arrayBuffer()).toString("base64");
  return [{ type: "image", data, mimeType: isSmall ? type : "image/webp" }];
}

/** The content besides the text: an image of at most 1,000 pixels, or its thumbnail, or else a link. */
export async function fileBlocks(ctx: Ctx, { id }: FileReference): Promise<ContentBlock[]> {
  const [row] = await ctx.db.select(columns).from(files).where(ownedById(ctx, id));
  if (!row) return [];
  const file = await presentFile(ctx, row as FileRow);
  const pictures = file.kind === "image" ? await imageBlocks(ctx, file) : [];
  if (pictures.length > 0) return pictures;
  const { name, type: mimeType, bytes: size } = file;
  return [{ type: "resource_link", uri: fileUrl(ctx, id), name, mimeType, size }];
}
