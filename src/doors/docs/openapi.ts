import type { OpenAPIHono } from "@hono/zod-openapi";
import { ERROR_CODES } from "../../contract/error-codes.ts";
import { MessageHeaders, WEBHOOK_MESSAGES } from "../../contract/webhook-message.ts";
import type { AppEnv } from "../../platform/core/ctx.ts";
import { VERSION } from "../../platform/core/version.ts";
import { describeAccess, SECURITY_SCHEMES } from "./access.ts";
import {
  describeErrors,
  describeOperation,
  describeSchema,
  type OpenApiOperation,
  type OpenApiSchema,
} from "./describe.ts";

const DESCRIPTION = `Documents with titles, tags, folders and full-text search, and records of commitments, decisions and more.

**Sign in** with \`POST /api/auth/login\` and send the returned \`access_token\` with every other request as
\`Authorization: Bearer <ACCESS_TOKEN>\`. It expires after 15 minutes; \`POST /api/auth/refresh\` returns a new one.
Programs can use an API key from \`POST /api/api-keys\` instead; each operation lists the scopes that a key needs.

**Errors** are \`{"detail": "…"}\`, a text for people, with the header \`Error-Code\` for programs. A resource of another
account is a 404, as if it did not exist. An unknown field or parameter is a 422 that suggests the closest known one.

**Fields** that a change omits stay as they are; \`null\` clears a field that may be empty. Timestamps are ISO 8601
in UTC.

**Secrets**: a request that creates or changes documents or records can send \`Allow-Secret: false\`. Text that looks like a
password, a key, a PIN or a card number is then rejected with a 422 and the code \`secret\`; \`detail\` names what was found
and where. Sent again with \`Allow-Secret: true\`, or without the header, it is stored.

**Read your writes**: every response has the header \`X-D1-Bookmark\`. Send the latest one with the next request, and its
response will be at least that recent.`;

const TAGS = {
  "Sign-in": "Accounts, tokens and sessions.",
  Documents:
    "A document has a title, tags, an optional folder, and a JSON object as content. Every version has an " +
    "ETag, for conditional reads and for changes that must not overwrite a concurrent one.",
  Folders: "A tree without cycles. A document is in one folder or in none.",
  Tags: "A tag exists as long as any document has it.",
  Files:
    "Contracts, tickets, pictures and other files, attached to documents and records or referenced in a text as `file:<id>`. " +
    "The content of an id never changes.",
  Tidy:
    "Suggestions for tidying up, found by analyzing the texts, without a model. Only the operations that resolve a " +
    "suggestion change anything.",
  Trash: "Deleted documents, kept for 30 days.",
  "Export and import": "Everything that a user owns, as a file.",
  Activity: "Who changed what, undoing changes, and changes since a cursor for programs that keep a copy.",
  Jobs:
    "Work that takes longer than a request continues in the background, and can be monitored and cancelled. An operation " +
    "that starts a job returns 202; one that completes within its request returns the result.",
  Search: "Full-text search over titles, tags and content.",
  "API keys": "Tokens for programs, limited to scopes.",
  Connections: "MCP clients that the caller has authorized.",
  Memories:
    "Short records of six types that are active, resolved, deferred or archived. A deferred record becomes active " +
    "again on its day. Every change is recorded as an event.",
  Projects: "A project exists as long as any record has it.",
  Dashboard:
    "What is active, overdue, stale or done in the caller's time zone, and a calendar feed of due dates.",
  Webhooks:
    "Messages to other programs about what happens, signed as Standard Webhooks (standardwebhooks.com) and delivered " +
    "at least once. A message that is not answered with 2xx within ten seconds is retried eight times in a day.",
  Reminders: "The daily email and notifications of records that are due.",
  Billing: "The caller's subscription.",
  Service: "The state of the service itself.",
};

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
  tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
};

function registerMessages({ openAPIRegistry }: OpenAPIHono<AppEnv>): void {
  for (const { event, summary, body } of WEBHOOK_MESSAGES) {
    openAPIRegistry.registerWebhook({
      method: "post",
      path: event,
      operationId: event.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase()),
      tags: ["Webhooks"],
      summary,
      security: [],
      description: "Respond with 2xx within ten seconds; otherwise the message is sent again.",
      request: {
        headers: MessageHeaders,
        body: { required: true, content: { "application/json": { schema: body } } },
      },
      responses: { "2XX": { description: "Received" }, 410: { description: "The webhook is switched off" } },
    });
  }
}

type Document = {
  paths?: Record<string, Record<string, OpenApiOperation>>;
  webhooks?: Record<string, Record<string, OpenApiOperation>>;
  components?: { schemas?: Record<string, OpenApiSchema> };
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
  description: `Identifies the error for programs; its text may change.\n\n${Object.entries(ERROR_CODES)
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
