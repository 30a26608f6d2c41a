import { useEffect, useRef } from "react";
import type { Fields } from "../../../../../src/contract/files/content.ts";
import { Button, IconButton } from "../../../kit/button.tsx";
import { Plus, X } from "../../../kit/icons.tsx";
import { type Change, type Property, refusalOf } from "./change.ts";
import { NewRow } from "./new-row.tsx";
import styles from "./properties.module.css";
import { Spot } from "./spot.tsx";
import { fieldText, readValue } from "./value.ts";
import type { Where } from "./write.ts";

/** A value in a line. */
function Shown({ value }: { value: unknown }) {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (!Array.isArray(value) || value.length === 0)
    return typeof value === "string" && value !== ""
      ? value
      : fieldText(value) || <span className={styles.none}>none</span>;
  return value.map((item, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: values of a list have no identity
    <span key={index} className={styles.item}>
      {typeof item === "string" ? item : fieldText(item)}
    </span>
  ));
}

type RowProps = Property & {
  check: (name: string) => string | undefined;
  onChange: (change: Change) => void;
};

const Row = ({ name, value, check, onChange }: RowProps) => (
  <div className={styles.row}>
    <dt>
      <Spot label="Name" text={name} check={check} onDone={(to) => onChange({ kind: "rename", name, to })}>
        {name}
      </Spot>
    </dt>
    <dd>
      <Spot
        label={name}
        text={fieldText(value)}
        onDone={(typed) => onChange({ kind: "set", name, typed, value: readValue(typed) })}
      >
        <Shown value={value} />
      </Spot>
    </dd>
    <dd className={styles.end}>
      <IconButton label={`Remove ${name}`} onPress={() => onChange({ kind: "remove", name })}>
        <X aria-hidden="true" />
      </IconButton>
    </dd>
  </div>
);

type Props = {
  fields: Fields;
  where: Where;
  isAdding: boolean;
  setAdding: (isAdding: boolean) => void;
  onChange: (change: Change) => void;
};

/** Properties as rows that can be changed. */
export function Rows({ fields, where, isAdding, setAdding, onChange }: Props) {
  const section = useRef<HTMLDivElement>(null);
  const wasAdding = useRef(isAdding);
  useEffect(() => {
    const isOver = wasAdding.current && !isAdding && document.activeElement === document.body;
    wasAdding.current = isAdding;
    // What had the focus is gone.
    if (isOver) section.current?.querySelector<HTMLButtonElement>("[data-add]")?.focus();
  }, [isAdding]);
  const names = Object.keys(fields);
  const check = (own?: string) => (name: string) =>
    refusalOf(
      name,
      names.filter((one) => one !== own),
      where === "text",
    );
  return (
    <div ref={section} className={styles.rows}>
      <dl>
        {Object.entries(fields).map(([name, value]) => (
          <Row key={name} {...{ name, value, onChange }} check={check(name)} />
        ))}
      </dl>
      {isAdding ? (
        <NewRow
          check={check()}
          onAdd={(name, typed) => {
            setAdding(false);
            onChange({ kind: "add", name, typed, value: readValue(typed) });
          }}
          onClose={() => setAdding(false)}
        />
      ) : (
        <div>
          <Button kind="quiet" data-add onPress={() => setAdding(true)}>
            <Plus aria-hidden="true" size="1rem" /> Add property
          </Button>
        </div>
      )}
    </div>
  );
}
