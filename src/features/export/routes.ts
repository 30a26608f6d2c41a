import { z } from "@hono/zod-openapi";
import { RequestQuery, Uuid } from "../../contract/fields.ts";
import { createRouter, errors, operation } from "../../platform/http/openapi.ts";
import { logSecurityRead } from "../../platform/security-events/store.ts";
import { safeFileName } from "../../shared/files/names.ts";
import { EXAMPLE_FILE } from "./example.ts";
import { readAccountFiles, readMarkdownFiles } from "./files-store.ts";
import { exportLines } from "./store.ts";
import { exportStream } from "./stream.ts";
import { zipFiles } from "./zip.ts";

const ExportQuery = RequestQuery({
  format: z.enum(["ndjson", "zip"]).default("ndjson").meta({
    description: "Only the lines, or a zip with the lines, the documents as Markdown, and the files",
  }),
});

const MarkdownExportQuery = RequestQuery({
  folder_id: Uuid.optional().meta({
    description: "Only this folder and its subfolders. Default: all documents",
  }),
});

const tags = ["Export and import"];

export const exportAccountRoute = operation({
  method: "get",
  path: "/",
  operationId: "exportAccount",
  tags,
  summary: "Export everything that the caller owns",
  description:
    "Streamed NDJSON: `header`; settings, folders, documents (including the trash) each followed by its versions, " +
    "memory records each followed by its events; files outside the trash with SHA-256, name and type, and their " +
    "attachments; `manifest` with the count and the SHA-256 of each section; `end` with the SHA-256 of all lines before it. " +
    "A file without the `end` line is incomplete, and POST /api/import rejects it. " +
    "With `format=zip`, a streamed zip: these lines as `commonplace-00001.ndjson` and so on, the documents as in the " +
    "Markdown export, and all files in the folder `Files`, which the Markdown links to. Importing the zip with the app or " +
    "the command line restores everything, including files.",
  request: { query: ExportQuery },
  rules: { access: ["docs:read", "memory:read"], daily: "unlimited" },
  responses: {
    200: {
      description: "The file",
      content: {
        "application/x-ndjson": { schema: z.string(), example: EXAMPLE_FILE },
        "application/zip": { schema: z.string().meta({ format: "binary" }) },
      },
    },
    ...errors(401),
  },
});

export const exportMarkdownRoute = operation({
  method: "get",
  path: "/markdown",
  operationId: "exportMarkdown",
  tags,
  summary: "Export the caller's documents as a zip of Markdown",
  description:
    "A streamed zip: a file for each document outside the trash, in the folders of the account, or of one folder with " +
    "everything in it. Markdown becomes a `.md` file whose front matter has the title, tags, `created_at`, `updated_at`, " +
    "the document's properties and the names of its folders, which an import reads again; an imported note keeps its " +
    "original front matter, with the rest in a block `commonplace`; other text becomes a `.txt` file, any other content a " +
    "`.json` file. Names of files and folders are made safe for Windows, macOS and Linux, and names that differ only in " +
    "case get a number. Files that the documents link to or that are attached to them are in the folder `Files`: the text " +
    "links to them, and `commonplace.files` in the front matter lists attached ones. Versions, records and settings are not " +
    "included: see GET /api/export. An incomplete zip does not open.",
  request: { query: MarkdownExportQuery },
  rules: { access: "docs:read", daily: "unlimited" },
  responses: {
    200: {
      description: "The zip",
      content: { "application/zip": { schema: z.string().meta({ format: "binary" }) } },
    },
    ...errors(401, 404),
  },
});

/** Content-Disposition for a file name (RFC 6266), with an ASCII fallback beside the extended form (RFC 8187). */
const contentDisposition = (name: string) => {
  const plain = name.replace(/[^ -~]|[%"\\]/g, "_");
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
};

const utcDay = ({ now }: { now: Date }) => now.toISOString().slice(0, 10);

export const exportRoutes = createRouter()
  .openapi(exportAccountRoute, async (c) => {
    const { ctx } = c.var;
    const isZip = c.req.valid("query").format === "zip";
    await logSecurityRead(ctx, "export_taken");
    return c.body(exportStream(ctx, isZip ? zipFiles(readAccountFiles(ctx)) : exportLines(ctx)), 200, {
      "Content-Type": isZip ? "application/zip" : "application/x-ndjson",
      "Content-Disposition": `attachment; filename="commonplace-${utcDay(ctx)}.${isZip ? "zip" : "ndjson"}"`,
    }) as never;
  })
  .openapi(exportMarkdownRoute, async (c) => {
    const { ctx } = c.var;
    const { folder, files } = await readMarkdownFiles(ctx, c.req.valid("query").folder_id);
    await logSecurityRead(ctx, "export_taken");
    const name = folder === undefined ? `commonplace-${utcDay(ctx)}` : safeFileName(folder);
    return c.body(exportStream(ctx, zipFiles(files)), 200, {
      "Content-Type": "application/zip",
      "Content-Disposition": contentDisposition(`${name}.zip`),
    }) as never;
  });
