// Limits of files, which the app reads without the schemas of file.ts.

/** The most bytes of a file that one request brings: what Cloudflare lets through. */
export const MAX_FILE_BYTES = 100_000_000;

/** The most bytes of a file that comes in parts. */
export const MAX_UPLOAD_BYTES = 1_000_000_000;

/** Every part has exactly so many bytes, but the last: R2 wants equal ones of at least 5 MiB. */
export const PART_BYTES = 8 * 1024 * 1024;

/** The longer sides, in pixels, of the pictures that a browser makes of a picture. */
export const THUMBNAIL_WIDTHS = [320, 1000] as const;
export type ThumbnailWidth = (typeof THUMBNAIL_WIDTHS)[number];

export const MAX_THUMBNAIL_BYTES = 1024 * 1024;

/** How long a file is kept that no document, version or record refers to, and one in the trash. */
export const UNUSED_DAYS = 30;

/** How a text refers to a file: `![](file:<id>)`. */
export const FILE_SCHEME = "file:";

/** Types that a browser shows in place. Everything else is saved: SVG and HTML can hold scripts. */
export const INLINE_TYPES: readonly string[] = [
  ...["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"],
  "application/pdf",
  ...["audio/mpeg", "audio/mp4", "audio/ogg", "audio/wav", "audio/flac", "audio/webm"],
  ...["video/mp4", "video/webm", "video/ogg"],
];
