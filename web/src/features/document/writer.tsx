import { queryOptions, useQuery } from "@tanstack/react-query";
import { type Document, type DocumentVersionListItem, documentsApi } from "../../api/documents.ts";
import type { ConflictingVersion } from "../../state/document-drafts.ts";

/** Names for writers without a client name, by their kind. */
export const PROGRAM_NAMES: Record<Document["source_type"], string> = {
  api: "a program",
  mcp: "an assistant",
  web: "you",
  import: "an import",
  cli: "the command line",
};

export const versionWriter = ({
  client_name,
  source_type,
}: Pick<DocumentVersionListItem, "client_name" | "source_type">) => client_name ?? PROGRAM_NAMES[source_type];

export const versionQuery = (id: string, version: number) =>
  queryOptions({
    queryKey: ["documents", "one", id, "version", version],
    queryFn: () => documentsApi.version(id, version),
    staleTime: "static",
  });

/** The service keeps 50 texts before the current one, and 50 versions between them. */
const MAX_VERSIONS = 100;

/** The versions before the current one. */
export const versionsQuery = (id: string, current: number) =>
  queryOptions({
    queryKey: ["documents", "one", id, "versions", current],
    queryFn: () => documentsApi.versions(id, { limit: MAX_VERSIONS }),
  });

/** The writer of a document's current version; undefined until loaded. */
export function useWriter({ id, version }: Pick<Document, "id" | "version">): string | undefined {
  const { data } = useQuery(versionQuery(id, version));
  return data && versionWriter(data);
}

/** Where a version comes from, as in "This passage was also changed …". */
function originText(version: DocumentVersionListItem): string {
  const writer = versionWriter(version);
  return writer === PROGRAM_NAMES.web ? " in another tab or on another device" : ` by ${writer}`;
}

/** The version that changed a text, or the newest if that cannot be found out; undefined until then. */
export function useTextVersion({ id, version, updated_at }: ConflictingVersion) {
  const { data: newest, isLoading } = useQuery(versionQuery(id, version));
  const isIt = (one: DocumentVersionListItem) => one.created_at === updated_at;
  const isFiled = newest !== undefined && !isIt(newest);
  const earlier = useQuery({ ...versionsQuery(id, version), enabled: isFiled });
  if (isLoading || earlier.isLoading) return undefined;
  const found = earlier.data?.items.find(isIt) ?? newest;
  return { number: found?.version ?? version, origin: found && originText(found) };
}
