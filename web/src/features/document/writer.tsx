import { useQuery } from "@tanstack/react-query";
import { type Document, type DocumentVersionListItem, documentsApi } from "../../api/documents.ts";
import type { ConflictingVersion } from "../../state/document-drafts.ts";

/** Names for writers without a client name, by their kind. */
const PROGRAMS: Record<Document["source_type"], string> = {
  api: "a program",
  mcp: "an assistant",
  web: "you",
  import: "an import",
  cli: "the command line",
};

export const programName = (source: Document["source_type"]) => PROGRAMS[source];

/** The name of a version's writer. */
export const versionWriter = ({
  client_name,
  source_type,
}: Pick<DocumentVersionListItem, "client_name" | "source_type">) => client_name ?? PROGRAMS[source_type];

/** The writer of a document's current version; undefined until loaded. */
export function useWriter({ id, version }: Pick<Document, "id" | "version">): string | undefined {
  const { data } = useQuery({
    queryKey: ["documents", "one", id, "version", version],
    queryFn: () => documentsApi.version(id, version),
    staleTime: "static",
  });
  return data && versionWriter(data);
}

/** Where a conflicting version comes from, as in "This passage was also changed …". */
export function useConflictOrigin(theirs: ConflictingVersion): string {
  const writer = useWriter(theirs);
  return writer === PROGRAMS.web ? "in another tab or on another device" : `by ${writer ?? "someone else"}`;
}
