import { lazy, Suspense } from "react";
import { Loading } from "../../kit/states.tsx";
import styles from "./before-after.module.css";
import type { Kind } from "./writing.ts";

const Beside = lazy(() => import("./compare.tsx").then((module) => ({ default: module.SideBySideDiff })));

/** A property's values before and after a change, as text. */
export type FieldDiff = { name: string; before: string; after: string };

type Props = {
  fields: readonly FieldDiff[];
  text: { kind: Kind; before: string; after: string };
  /** The document or record was created by this change. */
  isNew?: boolean;
};

const Cell = ({ name, text }: { name: string; text: string }) => (
  <td data-name={name}>{text || <span className={styles.quiet}>none</span>}</td>
);

/** The properties and text that a change affected, before and after it. */
export function BeforeAfter({ fields, text, isNew = false }: Props) {
  const changed = fields.filter(({ before, after }) => before !== after);
  const isTextChanged = text.before !== text.after;
  if (changed.length === 0 && !isTextChanged) return <p className={styles.quiet}>No differences.</p>;
  return (
    <div className={styles.both}>
      {changed.length > 0 && (
        <table className={styles.fields}>
          <thead>
            <tr>
              <td />
              {!isNew && <th scope="col">Before</th>}
              <th scope="col">{isNew ? "As created" : "After"}</th>
            </tr>
          </thead>
          <tbody>
            {changed.map(({ name, before, after }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {!isNew && <Cell name="Before" text={before} />}
                <Cell name={isNew ? "As created" : "After"} text={after} />
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {isTextChanged && isNew && <p className={styles.text}>{text.after}</p>}
      {isTextChanged && !isNew && (
        <Suspense fallback={<Loading />}>
          <Beside {...text} />
        </Suspense>
      )}
    </div>
  );
}
