import { lazy, type RefObject, Suspense, useLayoutEffect, useRef } from "react";
import { skipFrontMatter } from "../../../../src/shared/markdown/blocks.ts";
import type { Document } from "../../api/documents.ts";
import { Button } from "../../kit/button.tsx";
import { Pencil } from "../../kit/icons.tsx";
import { Key } from "../../kit/key.tsx";
import { Empty, Loading } from "../../kit/states.tsx";
import { useToday } from "../../kit/time.tsx";
import { textBefore, useClickedPoints } from "./clicked-place.ts";
import { useDocumentRecords } from "./commitments/document-records.ts";
import { type LinkedRecord, LinkedRecordsContext } from "./commitments/record-link.tsx";
import styles from "./document.module.css";
import { FieldList } from "./fields.tsx";
import { LinksContext, useLinks } from "./linked/linked-documents.ts";
import type { AddingProperty } from "./properties/properties.tsx";
import type { HeadingEntry } from "./prose-headings.ts";
import { SearchHighlights } from "./search-highlights.ts";
import { TickableText } from "./tasks.tsx";
import { tickTask } from "./tick.ts";
import { hasAny, otherFields, propertiesOf, writingOf } from "./writing.ts";

const loadProse = () => import("./prose.tsx");
const Prose = lazy(loadProse);
const Properties = lazy(() => import("./properties/properties.tsx"));
// Loads in parallel with the document.
void loadProse().catch(() => undefined);

/** Whether a text begins like front matter, without parsing it. */
const mayHaveFrontMatter = (text: string) => text.startsWith("---") && skipFrontMatter(text) > 0;

type PlainTextProps = { text: string; onPlace: ((place: number) => void) | undefined };

function PlainText({ text, onPlace }: PlainTextProps) {
  const root = useRef<HTMLParagraphElement>(null);
  useClickedPoints(root, (point) => {
    const before = point === "end" ? text : root.current && textBefore(root.current, point);
    if (typeof before === "string") onPlace?.(before.length);
  });
  return (
    <p ref={root} className={styles.plain}>
      {text}
    </p>
  );
}

/** Calls `onShown` when it is mounted, before the browser paints. */
function NotifyShown({ onShown }: { onShown: (() => void) | undefined }) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, on mount
  useLayoutEffect(() => onShown?.(), []);
  return null;
}

type WrittenProps = {
  document: Document;
  article?: RefObject<HTMLElement | null>;
  /** Undefined if the properties cannot be changed. */
  adding?: AddingProperty;
  /** Called with the offset of a clicked place of the text. */
  onPlace?: (place: number, start?: number) => void;
  onHeadings?: (headings: readonly HeadingEntry[]) => void;
  /** Called once the text is shown and the content below no longer moves. */
  onShown?: () => void;
};

/** A document's properties, text and other fields. */
export function DocumentContent({ document, article, adding, onPlace, onHeadings, onShown }: WrittenProps) {
  const fields = otherFields(document.content);
  const properties = propertiesOf(document.content);
  const { kind, text } = writingOf(document.content);
  const renderText = (shown: string) => (
    <>
      {kind === "markdown" && (
        <Prose
          key={document.id}
          text={shown}
          title={document.title}
          onPlace={onPlace}
          onHeadings={onHeadings}
        />
      )}
      {kind === "text" && <PlainText text={shown} onPlace={onPlace} />}
      <NotifyShown onShown={onShown} />
    </>
  );
  const isInText = kind === "markdown" && mayHaveFrontMatter(text);
  const mayChange = adding !== undefined && (adding.isAdding || hasAny(properties));
  const plain = (
    <>
      {hasAny(properties) && (
        <section className={styles.properties} aria-label="Properties" data-apart>
          <FieldList fields={properties} />
        </section>
      )}
      {renderText(text)}
    </>
  );
  return (
    <article ref={article} className={styles.article}>
      <Suspense fallback={<Loading />}>
        {isInText || mayChange ? (
          <Suspense fallback={isInText ? <Loading /> : plain}>
            <Properties document={document} adding={adding}>
              {renderText}
            </Properties>
          </Suspense>
        ) : (
          plain
        )}
      </Suspense>
      {hasAny(fields) && (
        <div className={styles.fields}>
          <FieldList fields={fields} />
        </div>
      )}
    </article>
  );
}

const NONE: readonly LinkedRecord[] = [];

/** The code that turns tasks into records is loaded on first use. */
const commit = async (document: Document, place: number, today: string) =>
  (await import("./commitments/commit.ts")).makeCommitment(document, place, today);

type Props = {
  /** The document as the service has it; `document` includes pending changes. */
  known: Document;
  document: Document;
  article: RefObject<HTMLElement | null>;
  adding: AddingProperty;
  /** Opens the editor, at the clicked offset of the text if there is one. */
  onEdit: (place?: number, start?: number) => void;
  onHeadings: (headings: readonly HeadingEntry[]) => void;
  onShown: () => void;
};

/** The content of a document. A click in its text opens the editor at that place. */
export const InteractiveContent = ({
  known,
  document,
  article,
  adding,
  onEdit,
  onHeadings,
  onShown,
}: Props) => {
  const today = useToday();
  const { data: records } = useDocumentRecords(document.id);
  const links = useLinks(document);
  const { kind, text } = writingOf(document.content);
  const hasFields = hasAny(otherFields(document.content)) || hasAny(propertiesOf(document.content));
  const isEmpty = !hasFields && !adding.isAdding && (kind === "json" || text.trim() === "");
  if (isEmpty) {
    return (
      <Empty title="This document is empty">
        <p>
          Write in Markdown: headings, lists, tasks, tables. Your text is saved on this device as you type.
        </p>
        <Button kind="primary" onPress={() => onEdit()}>
          <Pencil aria-hidden="true" size="1rem" /> Write <Key>e</Key>
        </Button>
        <NotifyShown onShown={onShown} />
      </Empty>
    );
  }
  return (
    <TickableText
      text={text}
      onTick={(place) => void tickTask(known, document, place)}
      onCommit={(place) => void commit(document, place, today)}
    >
      <LinkedRecordsContext value={records?.items ?? NONE}>
        <LinksContext value={links}>
          <DocumentContent
            document={document}
            article={article}
            onPlace={onEdit}
            onHeadings={onHeadings}
            onShown={onShown}
            {...(kind !== "json" && { adding })}
          />
          <SearchHighlights article={article} />
        </LinksContext>
      </LinkedRecordsContext>
    </TickableText>
  );
};
