import { type ReactNode, useState } from "react";
import { Toolbar } from "react-aria-components";
import type { Action } from "../../kit/actions.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { X } from "../../kit/icons.tsx";
import { Key } from "../../kit/key.tsx";
import { formatCount } from "../../kit/text.ts";
import { toast } from "../../state/toasts.ts";
import styles from "./documents.module.css";

type BarProps = {
  count: number;
  onClear: () => void;
  /** Selects documents that are not loaded. */
  more?: ReactNode;
  actions: readonly Action[];
};

/** The toolbar for selected rows. */
export const SelectionBar = ({ count, onClear, more, actions }: BarProps) => (
  <Toolbar aria-label="Selected" className={styles.selection ?? ""}>
    <span role="status">{formatCount(count)} selected</span>
    {more}
    {actions.map(({ name, icon: Icon, shortcut, isDangerous, run }) => (
      <Button key={name} kind={isDangerous ? "danger" : "plain"} onPress={run}>
        {Icon && <Icon aria-hidden="true" size="1rem" />} {name} <Key>{shortcut}</Key>
      </Button>
    ))}
    <IconButton label="Clear selection" shortcut="Esc" onPress={onClear}>
      <X aria-hidden="true" />
    </IconButton>
  </Toolbar>
);

type EverythingProps = {
  total: number;
  /** Reads all documents, reporting progress. */
  read: (onRead: (count: number) => void) => Promise<void>;
};

/** Selects all documents, including those not scrolled to. */
function SelectEverything({ total, read }: EverythingProps) {
  const [count, setCount] = useState<number>();
  const run = async () => {
    setCount(0);
    try {
      await read(setCount);
    } catch (problem) {
      setCount(undefined);
      const text = `Couldn’t select all documents: ${(problem as Error).message}`;
      toast({ kind: "refused", text });
    }
  };
  return (
    <Button kind="quiet" isDisabled={count !== undefined} onPress={() => void run()}>
      {count === undefined
        ? `Select all ${formatCount(total)}`
        : `Reading ${formatCount(count)} of ${formatCount(total)}…`}
    </Button>
  );
}

type Props = Pick<BarProps, "count" | "onClear" | "actions"> & {
  /** Set when more documents exist than are selected. */
  everything: EverythingProps | undefined;
};

export default ({ everything, ...bar }: Props) => (
  <SelectionBar {...bar} more={everything && <SelectEverything {...everything} />} />
);
