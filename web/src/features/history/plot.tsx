import styles from "./plot.module.css";

export type Bar = { name: string; count: number; isNow?: boolean };

type Props = {
  title: string /** What the bars count, for the table. */;
  unit: string;
  bars: readonly Bar[];
  note?: string;
};

const WIDTH = 320;
const HEIGHT = 96;
const BASE = HEIGHT - 18;
const TOP = 16;

/** Room for a name below a bar, in the units of the drawing. */
const NAME_WIDTH = 40;

function Bars({ bars }: { bars: readonly Bar[] }) {
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const step = WIDTH / bars.length;
  const width = Math.min(36, step * 0.7);
  // Names that would run into each other are left out, beginning beside the last one.
  const every = Math.ceil(NAME_WIDTH / step);
  const isNamed = (place: number) => (bars.length - 1 - place) % every === 0;
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className={styles.plot} aria-hidden="true">
      <line x1="0" x2={WIDTH} y1={BASE + 0.5} y2={BASE + 0.5} className={styles.base} />
      {bars.map(({ name, count, isNow }, place) => {
        const height = (count / most) * (BASE - TOP);
        const middle = step * (place + 0.5);
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
            {isNamed(place) && (
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

/** A bar chart and, behind a line to open, the same numbers as a table. */
export const Plot = ({ title, unit, bars, note }: Props) => (
  <figure className={styles.figure}>
    <figcaption>{title}</figcaption>
    <Bars bars={bars} />
    {note && <p className={styles.note}>{note}</p>}
    <details className={styles.details}>
      <summary>As a table</summary>
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
