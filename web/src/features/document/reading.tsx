import { lazy, type RefObject, Suspense } from "react";
import type { Document } from "../../api/documents.ts";
import { Button } from "../../kit/button.tsx";
import { Pencil } from "../../kit/icons.tsx";
import { Key } from "../../kit/key.tsx";
import { Empty, Loading } from "../../kit/states.tsx";
import styles from "./document.module.css";
import { Fields } from "./fields.tsx";
import { useFoundMarks } from "./found.ts";
import { Tickable } from "./tasks.tsx";
import { tickTask } from "./tick.ts";
import { useTrial } from "./trial.ts";
import { otherFields, propertiesOf, writingOf } from "./writing.ts";

const loadProse = () => import("./prose.tsx");
const Prose = lazy(loadProse);
// While the document itself is asked for.
void loadProse().catch(() => undefined);

const AsWritten = ({ text }: { text: string }) => <p className={styles.plain}>{text}</p>;

function Markdown({ text, title }: { text: string; title: string }) {
  const isFine = useTrial(text);
  if (isFine === undefined) return <Loading />;
  if (isFine) return <Prose text={text} title={title} />;
  return (
    <>
      <p className={styles.notice} role="status">
        This text takes too long to render: it is shown as it was written.
      </p>
      <AsWritten text={text} />
    </>
  );
}

const Text = ({ document }: { document: Document }) => {
  const { kind, text } = writingOf(document.content);
  if (kind === "markdown") return <Markdown text={text} title={document.title} />;
  return kind === "text" ? <AsWritten text={text} /> : null;
};

type WrittenProps = { document: Document; article?: RefObject<HTMLElement | null> };

const hasAny = (fields: object) => Object.keys(fields).length > 0;

/** The text of a document, its properties before it, and the other fields after it. */
export function Written({ document, article }: WrittenProps) {
  const fields = otherFields(document.content);
  const properties = propertiesOf(document.content);
  return (
    <article ref={article} className={styles.article}>
      {hasAny(properties) && (
        <section className={styles.properties} aria-label="Properties">
          <Fields fields={properties} />
        </section>
      )}
      <Suspense fallback={<Loading />}>
        <Text document={document} />
      </Suspense>
      {hasAny(fields) && (
        <div className={styles.fields}>
          <Fields fields={fields} />
        </div>
      )}
    </article>
  );
}

type Props = { document: Document; article: RefObject<HTMLElement | null>; onEdit: () => void };

/** What a document says. */
export const Reading = ({ document, article, onEdit }: Props) => {
  useFoundMarks(article);
  const { kind, text } = writingOf(document.content);
  const hasFields = hasAny(otherFields(document.content)) || hasAny(propertiesOf(document.content));
  const isEmpty = !hasFields && (kind === "json" || text.trim() === "");
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
    <Tickable text={text} onTick={(place) => void tickTask(document, place)}>
      <Written document={document} article={article} />
    </Tickable>
  );
};
