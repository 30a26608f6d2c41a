import { Link } from "wouter";
import { screenPath } from "../../../../../src/contract/paths.ts";
import { Button } from "../../../kit/button.tsx";
import { formatCount } from "../../../kit/text.ts";
import { titleText } from "../../../kit/title-text.ts";
import { folderPathName, useFolders } from "../../folders/folders.ts";
import styles from "./linked.module.css";
import { useDocumentLinks } from "./linked-documents.ts";

/** The id of the section, to which the side of the page leads. */
export const LINKED_FROM = "linked-from";

export const useBacklinkCount = (id: string): number =>
  useDocumentLinks(id).data?.pages[0]?.backlink_count ?? 0;

/** The documents that link to a document, each with the sentence; nothing if there are none. */
export function LinkedFrom({ id }: { id: string }) {
  const { data, error, ...list } = useDocumentLinks(id);
  const { hasNextPage, fetchNextPage, isFetchingNextPage, isFetchNextPageError } = list;
  const { data: folders = [] } = useFolders();
  const [first] = data?.pages ?? [];
  const all = data?.pages.flatMap(({ backlinks }) => backlinks) ?? [];
  const backlinks = [...new Map(all.map((one) => [one.id, one])).values()];
  if (!first || backlinks.length === 0) return null;
  return (
    <section className={styles.from} aria-labelledby={LINKED_FROM}>
      <h2 id={LINKED_FROM} tabIndex={-1}>
        Linked from {formatCount(first.backlink_count)}{" "}
        {first.backlink_count === 1 ? "document" : "documents"}
      </h2>
      <ul>
        {backlinks.map((one) => (
          <li key={one.id}>
            <p className={styles.title}>
              <Link href={screenPath("document", one.id)} dir="auto">
                {titleText(one.title)}
              </Link>
              {one.folder_id && <span dir="auto">{folderPathName(folders, one.folder_id)}</span>}
            </p>
            {one.context !== "" && (
              <p className={styles.context} dir="auto">
                {one.context}
              </p>
            )}
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <div>
          {isFetchNextPageError && <p role="alert">{error?.message}</p>}
          <Button onPress={() => void fetchNextPage()} isDisabled={isFetchingNextPage}>
            {isFetchingNextPage ? "Loading…" : isFetchNextPageError ? "Try again" : "Show more"}
          </Button>
        </div>
      )}
    </section>
  );
}
