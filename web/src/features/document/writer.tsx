import { useQuery } from "@tanstack/react-query";
import { type Document, type DocumentVersionListItem, documentsApi } from "../../api/documents.ts";
import { capitalized } from "../../kit/capitalized.ts";
import type { Theirs } from "../../state/document-drafts.ts";

/** What a kind of program is called, for writers that gave no name. */
const PROGRAMS: Record<Document["source_type"], string> = {
  api: "a program",
  mcp: "an assistant",
  web: "you, in this app",
  import: "an import",
  cli: "the command line",
};

export const programName = (source: Document["source_type"]) => PROGRAMS[source];

/** Who wrote a version. */
export const writerOf = ({
  client_name,
  source_type,
}: Pick<DocumentVersionListItem, "client_name" | "source_type">) => client_name ?? PROGRAMS[source_type];

/** Who wrote a document as it is. Undefined until that is known. */
export function useWriter({ id, version }: Pick<Document, "id" | "version">): string | undefined {
  const { data } = useQuery({
    queryKey: ["documents", "one", id, "version", version],
    queryFn: () => documentsApi.version(id, version),
    staleTime: "static",
  });
  return data && writerOf(data);
}

/** Who wrote what differs from the text that is written here: the beginning of a sentence. */
export function useOtherWriter(theirs: Theirs): string {
  const writer = useWriter(theirs);
  return writer === PROGRAMS.web
    ? "You, in another tab or on another device,"
    : capitalized(writer ?? "somebody");
}
