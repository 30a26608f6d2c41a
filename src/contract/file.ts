import { z } from "@hono/zod-openapi";
import { ExportedInstant } from "./export-fields.ts";
import {
  BooleanParam,
  Cursor,
  ItemList,
  Name,
  NextCursor,
  NumberParam,
  PageParams,
  RequestQuery,
  Text,
  Timestamp,
  UpdateBody,
  Uuid,
} from "./fields.ts";
import {
  MAX_UPLOAD_BYTES,
  THUMBNAIL_WIDTHS,
  type ThumbnailWidth,
  UNUSED_FILE_DAYS,
  UPLOAD_PART_BYTES,
} from "./file-limits.ts";

export * from "./file-limits.ts";

export const MAX_UPLOAD_PARTS = Math.ceil(MAX_UPLOAD_BYTES / UPLOAD_PART_BYTES);

/** An upload in parts expires after this many hours without a new part. */
export const UPLOAD_EXPIRY_HOURS = 24;

export const MAX_UPLOADS = 50;

export const FileKind = z.enum(["image", "pdf", "audio", "video", "text", "other"]);
export type FileKind = z.infer<typeof FileKind>;

/** State of a file's extracted text: not expected, being read, complete, only the beginning, or unreadable. */
export const TextState = z.enum(["none", "waiting", "done", "cut", "failed"]);
export type TextState = z.infer<typeof TextState>;

const FileBytes = z.int().meta({ description: "Size in bytes", example: 48_213 });

const Sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in 64 hexadecimal digits")
  .meta({
    description: "SHA-256 of its bytes",
    example: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  });

const FileName = Name(255).meta({ example: "contract.pdf" });
const Alt = Text(0, 1000).meta({
  description: "Text alternative of an image",
  example: "The signed last page",
});
const Side = z.int().min(1).max(100_000).meta({ description: "In pixels", example: 1024 });
const RecordNumber = z.int().min(1).meta({ example: 12 });
const RecordNumberParam = NumberParam(16, "the number of a record");

export const StoredFile = z
  .strictObject({
    id: Uuid,
    name: z.string(),
    alt: z.string().nullable().meta({ description: "Text alternative of an image" }),
    type: z.string().meta({
      description: "Media type, detected from its first bytes. The type sent with the upload is ignored",
      example: "application/pdf",
    }),
    kind: FileKind.meta({ description: "How to display it; `text` is plain text of any kind" }),
    bytes: FileBytes,
    sha256: Sha256,
    width: z
      .int()
      .nullable()
      .meta({ description: "Width of an image or video in pixels, if a client has set it" }),
    height: z
      .int()
      .nullable()
      .meta({ description: "Height of an image or video in pixels, if a client has set it" }),
    pages: z.int().nullable().meta({ description: "Number of pages, once its text was extracted" }),
    text_state: TextState.meta({
      description:
        "Whether its text can be searched: `cut` if only the beginning can, `failed` for the reason in `text_note`",
    }),
    text_note: z
      .string()
      .nullable()
      .meta({ description: "Why its text could not be read, or where it was cut" }),
    thumbnails: z.array(z.int()).meta({ description: "The widths available at GET …/thumbnails/{width}" }),
    replaces_id: Uuid.nullable().meta({ description: "The file that this one replaced" }),
    document_ids: z.array(Uuid).meta({ description: "The documents it is attached to, at most 100" }),
    memory_ids: z.array(z.int()).meta({ description: "The records it is attached to, at most 100" }),
    unused_since: Timestamp.nullable().meta({
      description: `Since when nothing refers to it. It is erased ${UNUSED_FILE_DAYS} days later`,
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
    trashed_at: Timestamp.nullable().meta({
      description: `When it was moved to the trash. It is erased ${UNUSED_FILE_DAYS} days later`,
    }),
  })
  .meta({ id: "File" });
export type StoredFile = z.infer<typeof StoredFile>;

export const FileList = ItemList("FileList", StoredFile, { next_cursor: NextCursor });
export type FileList = z.infer<typeof FileList>;

/** Export line of a file that is not in the trash. Its bytes are a separate file in the zip. */
export const FileExportLine = z.strictObject({
  type: z.literal("file"),
  id: Uuid,
  sha256: Sha256,
  name: FileName,
  media_type: Text(1, 200),
  bytes: FileBytes,
  alt: Alt.nullable(),
  width: Side.nullable(),
  height: Side.nullable(),
  created_at: ExportedInstant,
});
export type FileExportLine = z.infer<typeof FileExportLine>;

/** Export line of the attachment of a file to a document or memory. */
export const AttachmentExportLine = z
  .strictObject({
    type: z.literal("attachment"),
    sha256: Sha256,
    document_id: Uuid.nullable(),
    memory_id: RecordNumber.nullable(),
    created_at: ExportedInstant,
  })
  .refine(
    ({ document_id, memory_id }) => (document_id === null) !== (memory_id === null),
    "must name either a document or a record",
  );

export const FileListQuery = RequestQuery({
  document_id: Uuid.optional().meta({ description: "Only files attached to this document" }),
  memory_id: RecordNumberParam.optional().openapi({
    description: "Only files attached to this record",
    example: 12,
  }),
  kind: FileKind.optional(),
  trashed: BooleanParam("List the files in the trash instead of the others"),
  ...PageParams,
  cursor: Cursor,
});
export type FileListQuery = z.infer<typeof FileListQuery>;

const attachTo = {
  document_id: Uuid.optional().meta({ description: "Attach the file to this document" }),
  memory_id: FileListQuery.shape.memory_id.openapi({ description: "Attach the file to this record" }),
};

export const FileUploadQuery = RequestQuery(attachTo);

export const FileUploadHeaders = z.object({
  "content-disposition": z.string().max(4000).optional().meta({
    description:
      "The file name as `filename` or, if it is not ASCII, `filename*` (RFC 6266). Default: `Untitled`",
    example: "attachment; filename=\"contract.pdf\"; filename*=UTF-8''contract.pdf",
  }),
  "repr-digest": z.string().max(1000).optional().meta({
    description: "`sha-256=:…:` (RFC 9530). The upload is rejected if its bytes do not match",
    example: "sha-256=:TYAAMB/M3t4GeSI5j2uF1kxJo8QHuLpJgRlv3ScQVis=:",
  }),
  digest: z.string().max(1000).optional().meta({
    description: "The digest in the older format (RFC 3230)",
    example: "SHA-256=TYAAMB/M3t4GeSI5j2uF1kxJo8QHuLpJgRlv3ScQVis=",
  }),
});

export const FileParams = z.object({ file_id: Uuid });

export const FileReadQuery = RequestQuery({
  download: BooleanParam("Download the file instead of displaying it, whatever its type"),
});

export const FileReadHeaders = z.object({
  range: z.string().max(1000).optional().meta({
    description: "Ranges of bytes (RFC 9110 section 14). Several are returned as multipart/byteranges",
    example: "bytes=0-9",
  }),
  "if-range": z.string().max(200).optional().meta({
    description:
      "The ETag of the file that the ranges belong to. If it does not match, the whole file is returned",
    example: '"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"',
  }),
  "if-none-match": z.string().optional().meta({
    description: "The ETag of the client's copy. If it matches, the response is 304",
    example: '"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"',
  }),
});

const changes = z
  .strictObject({ name: FileName, alt: Alt.nullable(), width: Side.nullable(), height: Side.nullable() })
  .partial();

export const FileUpdateRequest = UpdateBody(changes, StoredFile).meta({
  id: "FileUpdateRequest",
  example: { name: "contract-signed.pdf", alt: "The signed contract" },
});
export type FileUpdateRequest = z.infer<typeof FileUpdateRequest>;

export const FileDeleteQuery = RequestQuery({
  permanent: BooleanParam("Delete it permanently, also if it is in the trash"),
});

export const FileReplaceRequest = z
  .strictObject({ by: Uuid.meta({ description: "The file that replaces it wherever it is attached" }) })
  .meta({ id: "FileReplaceRequest" });

const ThumbnailWidthParam = z
  .enum(["320", "1000"])
  .transform((width) => Number(width) as ThumbnailWidth)
  .openapi({ type: "integer", enum: [...THUMBNAIL_WIDTHS], example: 320 });

export const ThumbnailParams = z.object({ file_id: Uuid, width: ThumbnailWidthParam });

export const FileDocumentParams = z.object({ file_id: Uuid, document_id: Uuid });

export const FileMemoryParams = z.object({
  file_id: Uuid,
  memory_id: RecordNumberParam.openapi({ example: 12 }),
});

export const UploadBeginRequest = z
  .strictObject({
    name: FileName,
    bytes: z.int().min(1).max(MAX_UPLOAD_BYTES).meta({ description: "Size of the whole file in bytes" }),
    sha256: Sha256.optional().meta({
      description: "The completed upload is rejected if its bytes do not match",
    }),
    document_id: Uuid.optional(),
    memory_id: RecordNumber.optional(),
  })
  .meta({ id: "UploadBeginRequest", example: { name: "talk.mp4", bytes: 25_000_000 } });
export type UploadBeginRequest = z.infer<typeof UploadBeginRequest>;

export const Upload = z
  .strictObject({
    id: Uuid.meta({ description: "Also the id of the file, unless the same file is already stored" }),
    name: z.string(),
    bytes: FileBytes,
    part_bytes: z.int().meta({ description: "Size in bytes of each part except the last" }),
    parts: z.int().meta({ description: "Number of parts. Parts are numbered from 1" }),
    received: z.array(z.int()).meta({ description: "Numbers of the parts that are stored" }),
    created_at: Timestamp,
    expires_at: Timestamp.meta({ description: "When the upload expires if no further part arrives" }),
  })
  .meta({ id: "Upload" });
export type Upload = z.infer<typeof Upload>;

export const UploadList = ItemList("UploadList", Upload);

export const UploadParams = z.object({ upload_id: Uuid });

export const PartParams = z.object({
  upload_id: Uuid,
  part: z
    .string()
    .regex(/^[1-9]\d{0,3}$/, "must be the number of a part")
    .transform(Number)
    .pipe(z.number().max(MAX_UPLOAD_PARTS))
    .openapi({ type: "integer", minimum: 1, maximum: MAX_UPLOAD_PARTS, example: 1 }),
});
