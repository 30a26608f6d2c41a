import { type MouseEvent, type ReactNode, useContext, useState } from "react";
import { Link, useLocation } from "wouter";
import { linkedId, linkKey, linkWords } from "../../../../../src/shared/markdown/note-links.ts";
import type { LinkedDocument } from "../../../api/documents.ts";
import { titleText } from "../../../kit/title-text.ts";
import { useFolders } from "../../folders/folders.ts";
import {
  documentPath,
  headingHash,
  lookUpPath,
  newDocumentPath,
  searchPath,
  titleOfTarget,
} from "./follow.ts";
import styles from "./linked.module.css";
import { LinksContext } from "./linked-documents.ts";

type Props = {
  /** As written; empty for a heading of this text. */
  target: string;
  heading: string | undefined;
  /** The words of the link, if it has its own. */
  children: ReactNode | undefined;
};

/** A link without words of its own shows the current title, in the spelling of the text if they only differ in that. */
function shownWords({ target, heading }: Props, found: LinkedDocument | null | undefined): string {
  const written = titleOfTarget(target);
  const isSame = !found || (linkedId(target) === undefined && linkKey(written) === linkKey(found.title));
  return linkWords({
    target: isSame ? written : titleText(found.title),
    ...(heading !== undefined && { heading }),
  });
}

/** `written`: the words that the text has instead of the shown ones. */
type ShownProps = Props & { written: string | undefined };

/** A link whose document is not known yet, such as one that was just written: it is looked up when it is followed. */
function UnresolvedLink({ target, heading, children, written }: ShownProps) {
  const [, navigate] = useLocation();
  const { from } = useContext(LinksContext);
  const [isOpening, setOpening] = useState(false);
  const follow = async () => {
    const { href } = location;
    setOpening(true);
    // Whoever has gone elsewhere meanwhile stays there.
    const isWanted = () => location.href === href;
    const path = await lookUpPath({ target, heading, folderId: from?.folder_id ?? null, isWanted });
    setOpening(false);
    if (path !== undefined && isWanted()) navigate(path);
  };
  const onClick = (event: MouseEvent) => {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (!isOpening) void follow();
  };
  return (
    <>
      <a href={searchPath(target)} onClick={onClick} data-written={written}>
        {children}
      </a>
      {isOpening && (
        <span className={styles.state} role="status" data-apart>
          {" "}
          opening…
        </span>
      )}
    </>
  );
}

function MissingLink({ target, children, written }: ShownProps) {
  const { from } = useContext(LinksContext);
  const { data: folders = [] } = useFolders();
  return (
    <Link
      href={newDocumentPath(target, folders, from?.folder_id ?? null)}
      className={styles.missing}
      title="Not written yet"
      data-written={written}
    >
      {children}
    </Link>
  );
}

/** A link to a document or to a heading of this one. */
export function NoteAnchor(props: Props) {
  const { target, heading } = props;
  const { resolve, from } = useContext(LinksContext);
  const found = target === "" ? undefined : resolve(target);
  const children = props.children ?? shownWords(props, found);
  const written = props.children
    ? undefined
    : linkWords({ target, ...(heading !== undefined && { heading }) });
  const shown = { ...props, written, children };
  if (target === "" || (found && found.id === from?.id && headingHash(heading) !== ""))
    return (
      <a href={headingHash(heading) || "#"} data-written={written}>
        {children}
      </a>
    );
  if (found === undefined) return <UnresolvedLink {...shown} />;
  if (found === null) return <MissingLink {...shown} />;
  return (
    <>
      <Link href={documentPath(found.id, heading)} data-written={written}>
        {children}
      </Link>
      {found.trashed_at && (
        <>
          {" "}
          <span className={styles.state} data-apart>
            in the trash
          </span>
        </>
      )}
    </>
  );
}
