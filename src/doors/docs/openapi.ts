import type { OpenAPIHono } from "@hono/zod-openapi";
import { ERROR_CODES } from "../../contract/error-codes.ts";
import { MESSAGES, MessageHeaders } from "../../contract/webhook-message.ts";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { VERSION } from "../../platform/core/version.ts";
import { describeAccess, SECURITY_SCHEMES } from "./access.ts";
import {
  describeErrors,
  describeOperation,
  describeSchema,
  type Operation,
  type Schema,
} from "./describe.ts";

const DESCRIPTION = `Documents with titles, tags, folders and full-text search, and records of what must not be forgotten.

**Sign in** with \`POST /api/auth/login\` and send the returned \`access_token\` with every other request as
\`Authorization: Bearer <ACCESS_TOKEN>\`. It expires after 15 minutes; \`POST /api/auth/refresh\` returns a new one.
Programs can use an API key from \`POST /api/api-keys\` instead; each operation lists the scopes that a key needs.

**Errors** are \`{"detail": "…"}\`, one string for people, with the header \`Error-Code\` for programs. A resource that belongs to somebody else is a 404, as if it did not
exist. An unknown field or parameter is a 422 that suggests the closest known one.

**Fields** that a change omits stay as they are; \`null\` clears a field that may be empty. Timestamps are ISO 8601
in UTC.

**Secrets**: a request that creates or changes documents or records may say \`Allow-Secret: false\`. What looks like a
password, a key, a PIN or a card number is then a 422 with the code \`secret\`, which names what was found and where; sent
again with \`Allow-Secret: true\`, or without the header, it is stored.

**Read your writes**: every answer carries \`X-D1-Bookmark\`. Send the latest one with the next request, and the
answer will be at least that recent.`;

const TAGS = [
  { name: "Sign-in", description: "Accounts, tokens and sessions." },
  {
    name: "Documents",
    description:
      "A document has a title, tags, an optional folder, and a JSON object as content. Every version has an " +
      "ETag, for conditional reads and for changes that must not overwrite a concurrent one.",
  },
  { name: "Folders", description: "A tree without cycles. A document is in one folder or in none." },
  { name: "Tags", description: "A tag exists as long as any document has it." },
  {
    name: "Files",
    description:
      "The bytes of contracts, tickets and pictures, attached to documents and records or named in a text by `file:<id>`. An id " +
      "stands for the same bytes for ever.",
  },
  {
    name: "Tidy",
    description:
      "What could be tidied up: found by reading the texts, without a model. Nothing is changed but by the operations that " +
      "settle a finding.",
  },
  { name: "Trash", description: "Deleted documents, kept for 30 days." },
  { name: "Export and import", description: "Everything that a user owns, as a file." },
  {
    name: "Activity",
    description: "Who changed what, undoing it, and what a program that keeps a copy has to know.",
  },
  {
    name: "Jobs",
    description:
      "Work that takes longer than a request goes on by itself, and can be watched and cancelled. An operation that begins " +
      "some answers 202; what fits into its request it answers at once.",
  },
  { name: "Search", description: "Full-text search over titles, tags and content." },
  { name: "API keys", description: "Tokens for programs, with scopes." },
  { name: "Connections", description: "MCP clients that the caller has authorized." },
  {
    name: "Memories",
    description:
      "Short records of six types that are active, resolved, deferred or archived. A deferred record becomes active " +
      "again on its day. Every change is recorded as an event.",
  },
  { name: "Projects", description: "A project exists as long as any record has it." },
  {
    name: "Dashboard",
    description:
      "What is active, overdue, stale or done in the caller's time zone, and a calendar feed of due dates.",
  },
  {
    name: "Webhooks",
    description:
      "Messages to other programs about what happens, signed as Standard Webhooks (standardwebhooks.com) and delivered " +
      "at least once. A message that is not answered with 2xx within ten seconds is tried again eight times in a day.",
  },
  { name: "Reminders", description: "The daily email, and notifications of what is due today." },
  { name: "Billing", description: "The caller's subscription." },
  { name: "Service", description: "The state of the service itself." },
];

const GENERAL = {
  openapi: "3.1.0",
  info: {
    title: "Commonplace",
    version: VERSION,
    summary: "Documents and memory for people and their AI assistants",
    description: DESCRIPTION,
    contact: { name: "The operator of this deployment" },
    license: { name: "MIT", identifier: "MIT" },
  },
  // Relative to the document's own URL, so that it is correct behind any proxy and on both ports.
  servers: [{ url: "/", description: "This deployment" }],
  tags: TAGS,
};

function registerMessages({ openAPIRegistry }: OpenAPIHono<AppEnv>): void {
  for (const { event, summary, body } of MESSAGES) {
    openAPIRegistry.registerWebhook({
      method: "post",
      path: event,
      operationId: event.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase()),
      tags: ["Webhooks"],
      summary,
      security: [],
      description: "Answer with 2xx within ten seconds; any other answer is tried again.",
      request: {
        headers: MessageHeaders,
        body: { required: true, content: { "application/json": { schema: body } } },
      },
      responses: { "2XX": { description: "Received" }, 410: { description: "The webhook is switched off" } },
    });
  }
}

type Document = {
  paths?: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, Schema> };
};

function complete({ paths = {}, webhooks = {}, components }: Document): void {
  const schemas = components?.schemas ?? {};
  for (const [name, schema] of Object.entries(schemas)) describeSchema(name, schema, schemas);
  for (const methods of Object.values(paths)) {
    for (const operation of Object.values(methods)) {
      describeAccess(operation);
      describeOperation(operation, schemas);
      describeErrors(operation);
    }
  }
  for (const { post } of Object.values(webhooks)) if (post) describeOperation(post, schemas);
}

const ERROR_CODE_HEADER = {
  description: `Which error it is, for programs: the text may change.\n\n${Object.entries(ERROR_CODES)
    .map(([code, meaning]) => `- \`${code}\`: ${meaning}`)
    .join("\n")}`,
  schema: { type: "string" as const, enum: Object.keys(ERROR_CODES), example: "stale" },
};

/** Describes every route of the app as an OpenAPI 3.1 document. */
export function describeApi(app: OpenAPIHono<AppEnv>) {
  for (const [name, scheme] of Object.entries(SECURITY_SCHEMES)) {
    app.openAPIRegistry.registerComponent("securitySchemes", name, scheme);
  }
  app.openAPIRegistry.registerComponent("headers", "Error-Code", ERROR_CODE_HEADER);
  registerMessages(app);
  const description = app.getOpenAPI31Document(GENERAL);
  complete(description as Document);
  return description;
}
