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

/** The writer of a document's current version; undefined until loaded. */
export function useWriter({ id, version }: Pick<Document, "id" | "version">): string | undefined {
  const { data } = useQuery(versionQuery(id, version));
  return data && versionWriter(data);
}

/** Where a conflicting version comes from, as in "This passage was also changed …". */
export function useConflictOrigin(theirs: ConflictingVersion): string {
  const writer = useWriter(theirs);
  return writer === PROGRAM_NAMES.web
    ? "in another tab or on another device"
    : `by ${writer ?? "someone else"}`;
}
