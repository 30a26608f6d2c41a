import { lazy, Suspense } from "react";
import { Loading } from "../../kit/states.tsx";
import styles from "./before-after.module.css";
import type { Kind } from "./writing.ts";

const Beside = lazy(() => import("./compare.tsx").then(({ Beside }) => ({ default: Beside })));

/** A property, in words. */
export type Field = { name: string; before: string; after: string };

type Props = {
  fields: readonly Field[];
  text: { kind: Kind; before: string; after: string };
  /** There was nothing before. */
  isNew?: boolean;
};

const Cell = ({ name, text }: { name: string; text: string }) => (
  <td data-name={name}>{text || <span className={styles.quiet}>none</span>}</td>
);

/** What a change did: the properties and the text before and after it, side by side. What is the same is left out. */
export function BeforeAfter({ fields, text, isNew = false }: Props) {
  const changed = fields.filter(({ before, after }) => before !== after);
  const isText = text.before !== text.after;
  if (changed.length === 0 && !isText) return <p className={styles.quiet}>Both are the same.</p>;
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
      {isText && isNew && <p className={styles.text}>{text.after}</p>}
      {isText && !isNew && (
        <Suspense fallback={<Loading />}>
          <Beside {...text} />
        </Suspense>
      )}
    </div>
  );
}
