import styles from "./plot.module.css";

export type Bar = { name: string; count: number; isNow?: boolean };

type Props = {
  title: string;
  /** What the bars count, as the table's heading. */
  unit: string;
  bars: readonly Bar[];
  note?: string;
};

const WIDTH = 320;
const HEIGHT = 96;
const BASE = HEIGHT - 18;
const TOP = 16;

/** Width of a label below a bar, in SVG units. */
const NAME_WIDTH = 40;

function Bars({ bars }: { bars: readonly Bar[] }) {
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const step = WIDTH / bars.length;
  const width = Math.min(36, step * 0.7);
  // Labels that would overlap are left out; the last bar always has one.
  const labelInterval = Math.ceil(NAME_WIDTH / step);
  const hasLabel = (index: number) => (bars.length - 1 - index) % labelInterval === 0;
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className={styles.plot} aria-hidden="true">
      <line x1="0" x2={WIDTH} y1={BASE + 0.5} y2={BASE + 0.5} className={styles.base} />
      {bars.map(({ name, count, isNow }, index) => {
        const height = (count / most) * (BASE - TOP);
        const middle = step * (index + 0.5);
        return (
          <g key={name}>
            <rect
              x={middle - width / 2}
              y={BASE - height}
              width={width}
              height={height}
              className={isNow ? styles.now : styles.bar}
            />
            {count > 0 && (
              <text x={middle} y={BASE - height - 4} className={styles.count}>
                {count}
              </text>
            )}
            {hasLabel(index) && (
              <text x={middle} y={HEIGHT - 4} className={styles.name}>
                {name}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}

/** A bar chart, with the same numbers in a collapsed table. */
export const Plot = ({ title, unit, bars, note }: Props) => (
  <figure className={styles.figure}>
    <figcaption>{title}</figcaption>
    <Bars bars={bars} />
    {note && <p className={styles.note}>{note}</p>}
    <details className={styles.details}>
      <summary>Show as table</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">{title}</th>
            <th scope="col">{unit}</th>
          </tr>
        </thead>
        <tbody>
          {bars.map(({ name, count }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{count}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  </figure>
);
