import { lazy, type RefObject, Suspense } from "react";
import { skipFrontMatter } from "../../../../src/contract/markdown/blocks.ts";
import type { Document } from "../../api/documents.ts";
import { Button } from "../../kit/button.tsx";
import { Pencil } from "../../kit/icons.tsx";
import { Key } from "../../kit/key.tsx";
import { Empty, Loading } from "../../kit/states.tsx";
import { useToday } from "../../kit/time.tsx";
import { type Row, TheRecords } from "./commitments/record-link.tsx";
import { useRecordsOf } from "./commitments/records-of.ts";
import styles from "./document.module.css";
import { Fields } from "./fields.tsx";
import { useFoundMarks } from "./found.ts";
import type { Adding } from "./properties/properties.tsx";
import { Tickable } from "./tasks.tsx";
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

function Markdown({ text, title }: { text: string; title: string }) {
  const shown = useTrial(text);
  if (!shown) return <Loading />;
  if (shown.isFine) return <Prose text={shown.text} title={title} />;
  return (
    <>
      <p className={styles.notice} role="status">
        This text takes too long to render: it is shown as it was written.
      </p>
      <AsWritten text={shown.text} />
    </>
  );
}

type WrittenProps = {
  document: Document;
  article?: RefObject<HTMLElement | null>;
  /** Where its properties can be changed. */
  adding?: Adding;
};

const hasAny = (fields: object) => Object.keys(fields).length > 0;

/** The text of a document, its properties before it, and the other fields after it. */
export function Written({ document, article, adding }: WrittenProps) {
  const fields = otherFields(document.content);
  const properties = propertiesOf(document.content);
  const { kind, text } = writingOf(document.content);
  const textOf = (shown: string) => {
    if (kind === "markdown") return <Markdown key={document.id} text={shown} title={document.title} />;
    return kind === "text" ? <AsWritten text={shown} /> : null;
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
    <article ref={article} className={styles.article}>
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
  document: Document;
  article: RefObject<HTMLElement | null>;
  adding: Adding;
  onEdit: () => void;
};

/** What a document says. */
export const Reading = ({ document, article, adding, onEdit }: Props) => {
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
        <Button kind="primary" onPress={onEdit}>
          <Pencil aria-hidden="true" size="1rem" /> Write <Key>e</Key>
        </Button>
      </Empty>
    );
  }
  return (
    <Tickable
      text={text}
      onTick={(place) => void tickTask(document, place)}
      onCommit={(place) => void commit(document, place, today)}
    >
      <TheRecords value={records?.items ?? NONE}>
        <Written document={document} article={article} {...(kind !== "json" && { adding })} />
      </TheRecords>
    </Tickable>
  );
};
