import type { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "../core/ctx.ts";

const DESCRIPTION = `Documents with titles, tags and folders, found again by full-text search.

**Sign in** with \`POST /api/auth/login\` and send the answered \`access_token\` with every other request as
\`Authorization: Bearer <ACCESS_TOKEN>\`. It expires after 15 minutes; \`POST /api/auth/refresh\` gives a new one.

**Errors** are \`{"detail": "…"}\`, one string. What belongs to somebody else is a 404, as if it did not exist.
Fields and parameters that an operation does not know are a 422 that names the nearest known one.

**Fields** that a change leaves out stay as they are; \`null\` empties a field that may be empty. Timestamps are
ISO 8601 in UTC.

**Read your writes**: every answer carries \`X-D1-Bookmark\`. Send the latest one with the next request, and its
answer is at least as new.`;

/** What the documentation says of each group of operations, in the order in which it shows them. */
const TAGS = [
  { name: "Sign-in", description: "Accounts, tokens and sessions." },
  {
    name: "Documents",
    description:
      "A document has a title, tags, an optional folder, and a JSON object as content. Every version has an " +
      "ETag, for conditional reads and for changes that must not overwrite somebody else's.",
  },
  { name: "Folders", description: "A tree without cycles. A document is in one folder or in none." },
  { name: "Tags", description: "A tag exists as long as a document carries it." },
  { name: "Trash", description: "Deleted documents, for 30 days." },
  { name: "Export and import", description: "Everything that a user owns, as a file." },
  { name: "Search", description: "Full-text search over titles, tags and content." },
  { name: "API keys", description: "Tokens for programs, with scopes." },
  { name: "Connections", description: "MCP clients that hold a grant of the caller." },
  {
    name: "Memories",
    description:
      "Short records of six types with a life: active, then resolved, deferred or archived, and back. A deferred " +
      "record is active again from its day on. Every change leaves an event.",
  },
  {
    name: "Dashboard",
    description:
      "What is active, overdue, stale or done, by the caller's own calendar, and due dates as a feed.",
  },
  { name: "Billing", description: "The caller's subscription." },
  { name: "Service", description: "The state of the service itself." },
];

const GENERAL = {
  openapi: "3.1.0",
  info: {
    title: "Commonplace",
    version: "1.0.0",
    summary: "Documents and memory for people and their AI assistants",
    description: DESCRIPTION,
    license: { name: "MIT", identifier: "MIT" },
  },
  // Relative to the document's own address, so that it is right behind every proxy and on both ports.
  servers: [{ url: "/" }],
  tags: TAGS,
};

type Operation = {
  parameters?: {
    in: string;
    required?: boolean;
    schema: { example?: unknown; items?: { example?: unknown } };
  }[];
};

/**
 * Takes the examples off optional query parameters: Swagger UI sends what they say, and a first try would
 * ask for a folder that does not exist.
 */
function removeFilterExamples(paths: object): void {
  const operations: Operation[] = Object.values(paths).flatMap((methods: object) => Object.values(methods));
  for (const { parameters = [] } of operations) {
    for (const { in: place, required, schema } of parameters) {
      if (place !== "query" || required) continue;
      delete schema.example;
      delete schema.items?.example;
    }
  }
}

/** Describes every route of the app as an OpenAPI 3.1 document. */
export function describeApi(app: OpenAPIHono<AppEnv>) {
  app.openAPIRegistry.registerComponent("securitySchemes", "bearer", {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "The `access_token` that `POST /api/auth/login` answers. It is valid for 15 minutes.",
  });
  const description = app.getOpenAPI31Document(GENERAL);
  removeFilterExamples(description.paths ?? {});
  return description;
}
