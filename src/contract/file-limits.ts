// Limits of files, without the schemas of file.ts, for the app.

/** Maximum size of a file uploaded in one request: the limit of Cloudflare. */
export const MAX_FILE_BYTES = 100_000_000;

/** Maximum size of a file uploaded in parts. */
export const MAX_UPLOAD_BYTES = 1_000_000_000;

/** Size of every part except the last. R2 requires equal parts of at least 5 MiB. */
export const UPLOAD_PART_BYTES = 8 * 1024 * 1024;

/** Longer side, in pixels, of the thumbnails that a browser makes of an image. */
export const THUMBNAIL_WIDTHS = [320, 1000] as const;
export type ThumbnailWidth = (typeof THUMBNAIL_WIDTHS)[number];

export const MAX_THUMBNAIL_BYTES = 1024 * 1024;

/** Days until a file is erased that is in the trash, or that no document, version or memory refers to. */
export const UNUSED_FILE_DAYS = 30;

/** Scheme of references to files in a text: `![](file:<id>)`. */
export const FILE_SCHEME = "file:";

/** Types that a browser displays. All others are downloaded, because SVG and HTML can contain scripts. */
export const INLINE_TYPES: readonly string[] = [
  ...["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"],
  "application/pdf",
  ...["audio/mpeg", "audio/mp4", "audio/ogg", "audio/wav", "audio/flac", "audio/webm"],
  ...["video/mp4", "video/webm", "video/ogg"],
];
