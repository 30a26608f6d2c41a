import type { Account } from "../../e2e/browser.ts";

/** What is known of a state folder that an earlier release left behind: `state-*.json` beside `state-*.tar.gz`. */
export type Fixture = {
  /** The contents of .dev.vars. They are in the repository and protect nothing. */
  secrets: Record<string, string>;
  /** The address of MCP at which the client was connected: a grant is good for no other one. */
  mcp_url: string;
  ada: Account & { refresh_token: string; cookie: string; api_key: string };
  /** Has an authenticator app, whose secret is in the database, encrypted with a secret of .dev.vars. */
  grace: Account & { totp_secret: string };
  client: { client_id: string; redirect_uri: string; refresh_token: string };
  folder: string;
  documents: Record<"long" | "tagged" | "changed" | "trashed", string>;
  memories: Record<"commitment" | "resolved" | "deferred" | "decision" | "replaced", number>;
};

/** In the archive, beside the state folder: what the release answered to reading requests, by their paths. */
export const ANSWERS = "answers.json";

/** What Ada can read with her API key. */
export const pathsOf = ({ documents, memories, folder }: Fixture): string[] => [
  ...["/api/documents?sort=title", "/api/documents?tag=travel", `/api/documents?folder_id=${folder}`],
  ...Object.entries(documents).map(
    ([name, id]) => `/api/documents/${id}${name === "trashed" ? "?trashed=true" : ""}`,
  ),
  ...[`/api/documents/${documents.changed}/versions`, `/api/documents/${documents.changed}/versions/1`],
  ...["/api/folders", "/api/tags", "/api/trash"],
  ...["active", "deferred", "resolved", "archived"].map((status) => `/api/memories?status=${status}`),
  ...Object.values(memories).flatMap((id) =>
    ["", "/events", "/versions"].map((more) => `/api/memories/${id}${more}`),
  ),
];
