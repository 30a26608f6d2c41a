import {
  MAX_THUMBNAIL_BYTES,
  THUMBNAIL_WIDTHS,
  type ThumbnailWidth,
} from "../../../../src/contract/file-limits.ts";

// Thumbnails are made in the browser, because decoding pictures takes more memory than the server has.

const TYPE = "image/webp";
const QUALITIES = [0.82, 0.6, 0.4];

export type Thumbnail = { width: ThumbnailWidth; bytes: Blob };
export type MeasuredPicture = { width: number; height: number; thumbnails: Thumbnail[] };

function drawScaled(picture: ImageBitmap, side: number): HTMLCanvasElement {
  const scale = Math.min(1, side / Math.max(picture.width, picture.height));
  const size = {
    width: Math.max(1, Math.round(picture.width * scale)),
    height: Math.max(1, Math.round(picture.height * scale)),
  };
  const canvas = Object.assign(document.createElement("canvas"), size);
  const context = canvas.getContext("2d");
  if (!context) throw new Error("This browser can’t draw pictures");
  context.imageSmoothingQuality = "high";
  context.drawImage(picture, 0, 0, size.width, size.height);
  return canvas;
}

const canvasBlob = (canvas: HTMLCanvasElement, quality: number) =>
  new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, TYPE, quality));

/** A small enough WebP; undefined if the browser cannot encode WebP. */
async function encodeWebp(canvas: HTMLCanvasElement): Promise<Blob | undefined> {
  for (const quality of QUALITIES) {
    const bytes = await canvasBlob(canvas, quality);
    if (bytes?.type !== TYPE) return undefined;
    if (bytes.size <= MAX_THUMBNAIL_BYTES) return bytes;
  }
  return undefined;
}

async function measure(file: Blob): Promise<MeasuredPicture> {
  const picture = await createImageBitmap(file);
  try {
    const { width, height } = picture;
    const thumbnails: Thumbnail[] = [];
    for (const side of THUMBNAIL_WIDTHS) {
      const bytes = await encodeWebp(drawScaled(picture, side));
      if (bytes) thumbnails.push({ width: side, bytes });
    }
    return { width, height, thumbnails };
  } finally {
    picture.close();
  }
}

/** Large pictures take hundreds of megabytes, so they are processed one at a time. */
let queue: Promise<unknown> = Promise.resolve();

/** Size and thumbnails of a picture, with its orientation applied; undefined if the browser cannot decode it. */
export function measurePicture(file: Blob): Promise<MeasuredPicture | undefined> {
  const mine = queue.then(() => measure(file)).catch(() => undefined);
  queue = mine;
  return mine;
}
