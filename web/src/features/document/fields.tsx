import styles from "./fields.module.css";

const fieldLabel = (key: string) => key.replaceAll("_", " ");

const Value = ({ value }: { value: unknown }) => {
  if (value === null || value === undefined || value === "") return <span className={styles.none}>none</span>;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return <Items items={value} />;
  if (typeof value === "object") return <FieldList fields={value as Record<string, unknown>} />;
  return String(value);
};

const Items = ({ items }: { items: unknown[] }) => {
  if (items.length === 0) return <span className={styles.none}>none</span>;
  return (
    <ul className={styles.items}>
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: values of a list have no identity
        <li key={index}>
          <Value value={item} />
        </li>
      ))}
    </ul>
  );
};

/** Names and values, with nested lists and objects. */
export const FieldList = ({ fields }: { fields: Record<string, unknown> }) => (
  <dl className={styles.fields}>
    {Object.entries(fields).map(([key, value]) => (
      <div key={key}>
        <dt>{fieldLabel(key)}</dt>
        <dd>
          <Value value={value} />
        </dd>
      </div>
    ))}
  </dl>
);
