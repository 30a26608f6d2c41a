import { type RefObject, useEffect, useRef } from "react";
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
  <div className={styles.row} data-name={name}>
    <dt>
      <Spot label="Name" text={name} check={check} onDone={(to) => onChange({ kind: "rename", name, to })}>
        {name}
      </Spot>
    </dt>
    <dd>
      <Spot
        label={name}
        text={fieldText(value)}
        onDone={(typed, was) => onChange({ kind: "set", name, typed, value: readValue(typed), was })}
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

const ADD = "[data-add]";

/** What gets the focus once a row is gone that had it: the row of its new name, what adds one, or else the screen. */
function useFocus(fields: Fields, section: RefObject<HTMLElement | null>) {
  const left = useRef<Change>(undefined);
  useEffect(() => {
    const { current: change } = left;
    if (!change || Object.hasOwn(fields, change.name)) return;
    left.current = undefined;
    if (document.activeElement !== document.body) return;
    const next = change.kind === "rename" ? `[data-name="${CSS.escape(change.to)}"] button` : ADD;
    section.current?.querySelector<HTMLButtonElement>(next)?.focus();
  });
  useEffect(
    () => () => {
      // The last one takes everything with it.
      if (left.current && document.activeElement === document.body) document.getElementById("main")?.focus();
    },
    [],
  );
  return (change: Change) => {
    left.current = change.kind === "rename" || change.kind === "remove" ? change : undefined;
  };
}

/** Properties as rows that can be changed. */
export function Rows({ fields, where, isAdding, setAdding, onChange: pass }: Props) {
  const section = useRef<HTMLDivElement>(null);
  const follow = useFocus(fields, section);
  const wasAdding = useRef(isAdding);
  useEffect(() => {
    const isOver = wasAdding.current && !isAdding && document.activeElement === document.body;
    wasAdding.current = isAdding;
    // What had the focus is gone.
    if (isOver) section.current?.querySelector<HTMLButtonElement>(ADD)?.focus();
  }, [isAdding]);
  const names = Object.keys(fields);
  const onChange = (change: Change) => {
    follow(change);
    pass(change);
  };
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
