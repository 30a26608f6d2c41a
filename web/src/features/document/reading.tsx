import { lazy, type MouseEvent, type RefObject, Suspense, useLayoutEffect } from "react";
import { skipFrontMatter } from "../../../../src/contract/markdown/blocks.ts";
import type { Document } from "../../api/documents.ts";
import { Button } from "../../kit/button.tsx";
import { Pencil } from "../../kit/icons.tsx";
import { Key } from "../../kit/key.tsx";
import { Empty, Loading } from "../../kit/states.tsx";
import { useToday } from "../../kit/time.tsx";
import { clickedPlace } from "./clicked.ts";
import { type Row, TheRecords } from "./commitments/record-link.tsx";
import { useRecordsOf } from "./commitments/records-of.ts";
import styles from "./document.module.css";
import { Fields } from "./fields.tsx";
import { useFoundMarks } from "./found.ts";
import type { Adding } from "./properties/properties.tsx";
import { StillShown, Tickable } from "./tasks.tsx";
import { tickTask } from "./tick.ts";
import { useTrial } from "./trial.ts";
import { otherFields, propertiesOf, writingOf } from "./writing.ts";

const loadProse = () => import("./prose.tsx");
const Prose = lazy(loadProse);
const Properties = lazy(() => import("./properties/properties.tsx"));
// While the document itself is asked for.
void loadProse().catch(() => undefined);

/** Whether a text begins as front matter does; what is in it is read later. */
const mayHaveFrontMatter = (text: string) => text.startsWith("---") && skipFrontMatter(text) > 0;

const AsWritten = ({ text }: { text: string }) => <p className={styles.plain}>{text}</p>;

/** Says that what is beside it is shown, before that is painted. */
function Told({ onShown }: { onShown: (() => void) | undefined }) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is shown once
  useLayoutEffect(() => onShown?.(), []);
  return null;
}

type MarkdownProps = { text: string; title: string; onShown: (() => void) | undefined };

function Markdown({ text, title, onShown }: MarkdownProps) {
  const shown = useTrial(text);
  if (!shown) return <Loading />;
  if (shown.isFine) {
    return (
      <StillShown shown={shown.text} text={text}>
        <Prose text={shown.text} title={title} />
        <Told onShown={onShown} />
      </StillShown>
    );
  }
  return (
    <>
      <Told onShown={onShown} />
      <div className={styles.notice} role="status">
        <p>This text takes too long to render just now: it is shown as it was written.</p>
        {shown.askAgain ? <Button onPress={shown.askAgain}>Render it</Button> : <p>Rendering…</p>}
      </div>
      <AsWritten text={shown.text} />
    </>
  );
}

type WrittenProps = {
  document: Document;
  article?: RefObject<HTMLElement | null>;
  /** Where its properties can be changed. */
  adding?: Adding;
  onDoubleClick?: (event: MouseEvent) => void;
  /** The text is shown: what stands below does not move any more. */
  onShown?: () => void;
};

const hasAny = (fields: object) => Object.keys(fields).length > 0;

/** The text of a document, its properties before it, and the other fields after it. */
export function Written({ document, article, adding, onDoubleClick, onShown }: WrittenProps) {
  const fields = otherFields(document.content);
  const properties = propertiesOf(document.content);
  const { kind, text } = writingOf(document.content);
  const textOf = (shown: string) => {
    if (kind === "markdown")
      return <Markdown key={document.id} text={shown} title={document.title} onShown={onShown} />;
    return (
      <>
        {kind === "text" && <AsWritten text={shown} />}
        <Told onShown={onShown} />
      </>
    );
  };
  const isInText = kind === "markdown" && mayHaveFrontMatter(text);
  const mayChange = adding !== undefined && (adding.isAdding || hasAny(properties));
  const plain = (
    <>
      {hasAny(properties) && (
        <section className={styles.properties} aria-label="Properties" data-apart>
          <Fields fields={properties} />
        </section>
      )}
      {textOf(text)}
    </>
  );
  return (
    <article ref={article} className={styles.article} onDoubleClick={onDoubleClick}>
      <Suspense fallback={<Loading />}>
        {isInText || mayChange ? (
          <Suspense fallback={isInText ? <Loading /> : plain}>
            <Properties document={document} adding={adding}>
              {textOf}
            </Properties>
          </Suspense>
        ) : (
          plain
        )}
      </Suspense>
      {hasAny(fields) && (
        <div className={styles.fields}>
          <Fields fields={fields} />
        </div>
      )}
    </article>
  );
}

const NONE: readonly Row[] = [];

/** What reads a task as a record is fetched when somebody wants that. */
const commit = async (document: Document, place: number, today: string) =>
  (await import("./commitments/commit.ts")).commitTask(document, place, today);

type Props = {
  /** As the service had it, and with what waits to be sent. */
  known: Document;
  document: Document;
  article: RefObject<HTMLElement | null>;
  adding: Adding;
  /** Begins writing, at a place of the text if somebody clicked there. */
  onEdit: (place?: number) => void;
  onShown: () => void;
};

/** What a document says. A double click begins writing there. */
export const Reading = ({ known, document, article, adding, onEdit, onShown }: Props) => {
  useFoundMarks(article);
  const today = useToday();
  const { data: records } = useRecordsOf(document.id);
  const { kind, text } = writingOf(document.content);
  const hasFields = hasAny(otherFields(document.content)) || hasAny(propertiesOf(document.content));
  const isEmpty = !hasFields && !adding.isAdding && (kind === "json" || text.trim() === "");
  if (isEmpty) {
    return (
      <Empty title="Nothing is written here yet">
        <p>Write in Markdown: headings, lists, tasks, tables. It is kept in this browser while you write.</p>
        <Button kind="primary" onPress={() => onEdit()}>
          <Pencil aria-hidden="true" size="1rem" /> Write <Key>e</Key>
        </Button>
        <Told onShown={onShown} />
      </Empty>
    );
  }
  const write = (event: MouseEvent) => {
    const place = clickedPlace(text, event.target, getSelection());
    if (place !== undefined) onEdit(place);
  };
  return (
    <Tickable
      text={text}
      onTick={(place) => void tickTask(known, document, place)}
      onCommit={(place) => void commit(document, place, today)}
    >
      <TheRecords value={records?.items ?? NONE}>
        <Written
          document={document}
          article={article}
          onShown={onShown}
          {...(kind !== "json" && { adding })}
          {...(kind === "markdown" && { onDoubleClick: write })}
        />
      </TheRecords>
    </Tickable>
  );
};
