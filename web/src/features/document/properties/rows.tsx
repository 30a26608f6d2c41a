import { type RefObject, useEffect, useRef } from "react";
import type { FieldValues } from "../../../../../src/shared/files/content.ts";
import { Button, IconButton } from "../../../kit/button.tsx";
import { Pencil, Plus, X } from "../../../kit/icons.tsx";
import { type PropertyChange, propertyNameProblem } from "./change.ts";
import { InlineField } from "./inline-field.tsx";
import { hasLinks, LinkedText } from "./linked-text.tsx";
import { NewPropertyRow } from "./new-row.tsx";
import styles from "./properties.module.css";
import { fieldText, parseValue } from "./value.ts";
import type { PropertyLocation } from "./write.ts";

function PropertyValue({ value }: { value: unknown }) {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (!Array.isArray(value) || value.length === 0)
    return typeof value === "string" && value !== "" ? (
      <span>
        <LinkedText text={value} />
      </span>
    ) : (
      fieldText(value) || <span className={styles.none}>none</span>
    );
  return value.map((item, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: values of a list have no identity
    <span key={index} className={styles.item}>
      {typeof item === "string" ? <LinkedText text={item} /> : fieldText(item)}
    </span>
  ));
}

type ValueProps = { name: string; value: unknown; onChange: (change: PropertyChange) => void };

function ValueField({ name, value, onChange }: ValueProps) {
  const text = fieldText(value);
  const onDone = (typed: string, was: string) =>
    onChange({ kind: "set", name, typed, value: parseValue(typed), was });
  const isLinked = hasLinks(value);
  const shown = <PropertyValue value={value} />;
  // A link cannot stand in a button, so the button stands beside the links. One field for both keeps the focus.
  return (
    <div className={isLinked ? styles.linked : undefined}>
      {isLinked && <span className={styles.links}>{shown}</span>}
      <InlineField label={name} text={text} onDone={onDone}>
        {isLinked ? (
          <>
            <span className="visually-hidden">{text}</span>
            <Pencil aria-hidden="true" size="1rem" />
          </>
        ) : (
          shown
        )}
      </InlineField>
    </div>
  );
}

type RowProps = {
  name: string;
  value: unknown;
  check: (name: string) => string | undefined;
  onChange: (change: PropertyChange) => void;
};

const Row = ({ name, value, check, onChange }: RowProps) => (
  <div className={styles.row} data-name={name}>
    <dt>
      <InlineField
        label="Name"
        text={name}
        check={check}
        onDone={(to) => onChange({ kind: "rename", name, to })}
      >
        {name}
      </InlineField>
    </dt>
    <dd>
      <ValueField name={name} value={value} onChange={onChange} />
    </dd>
    <dd className={styles.end}>
      <IconButton label={`Remove ${name}`} onPress={() => onChange({ kind: "remove", name })}>
        <X aria-hidden="true" />
      </IconButton>
    </dd>
  </div>
);

type Props = {
  fields: FieldValues;
  location: PropertyLocation;
  isAdding: boolean;
  setAdding: (isAdding: boolean) => void;
  onChange: (change: PropertyChange) => void;
};

const ADD = "[data-add]";

/** Moves the focus when the focused row disappears: to the renamed row, the Add button, or else the screen. */
function useFocusAfterChange(fields: FieldValues, section: RefObject<HTMLElement | null>) {
  const pending = useRef<PropertyChange>(undefined);
  useEffect(() => {
    const { current: change } = pending;
    if (!change || Object.hasOwn(fields, change.name)) return;
    pending.current = undefined;
    if (document.activeElement !== document.body) return;
    const next = change.kind === "rename" ? `[data-name="${CSS.escape(change.to)}"] button` : ADD;
    section.current?.querySelector<HTMLButtonElement>(next)?.focus();
  });
  useEffect(
    () => () => {
      // Removing the last property unmounts all rows.
      if (pending.current && document.activeElement === document.body)
        document.getElementById("main")?.focus();
    },
    [],
  );
  return (change: PropertyChange) => {
    pending.current = change.kind === "rename" || change.kind === "remove" ? change : undefined;
  };
}

/** Properties as rows that can be changed. */
export function PropertyRows({ fields, location, isAdding, setAdding, onChange: pass }: Props) {
  const section = useRef<HTMLDivElement>(null);
  const followFocus = useFocusAfterChange(fields, section);
  const wasAdding = useRef(isAdding);
  useEffect(() => {
    const hasLostFocus = wasAdding.current && !isAdding && document.activeElement === document.body;
    wasAdding.current = isAdding;
    if (hasLostFocus) section.current?.querySelector<HTMLButtonElement>(ADD)?.focus();
  }, [isAdding]);
  const names = Object.keys(fields);
  const onChange = (change: PropertyChange) => {
    followFocus(change);
    pass(change);
  };
  const check = (own?: string) => (name: string) =>
    propertyNameProblem(
      name,
      names.filter((one) => one !== own),
      location === "text",
    );
  return (
    <div ref={section} className={styles.rows}>
      <dl>
        {Object.entries(fields).map(([name, value]) => (
          <Row key={name} name={name} value={value} onChange={onChange} check={check(name)} />
        ))}
      </dl>
      {isAdding ? (
        <NewPropertyRow
          check={check()}
          onAdd={(name, typed) => {
            setAdding(false);
            onChange({ kind: "add", name, typed, value: parseValue(typed) });
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
