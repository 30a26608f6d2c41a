import { type ReactNode, useState } from "react";
import { Toolbar } from "react-aria-components";
import { Button, IconButton } from "../../kit/button.tsx";
import { FolderInput, Tag, Trash2, X } from "../../kit/icons.tsx";
import { Key } from "../../kit/key.tsx";
import { toast } from "../../state/toasts.ts";
import styles from "./documents.module.css";

type BarProps = {
  count: number;
  onClear: () => void;
  /** Selects documents that are not loaded. */
  more?: ReactNode;
  children: ReactNode;
};

const formatCount = (count: number) => count.toLocaleString("en-GB");

/** The toolbar for selected rows. */
export const SelectionBar = ({ count, onClear, more, children }: BarProps) => (
  <Toolbar aria-label="Selected" className={styles.selection ?? ""}>
    <span role="status">{formatCount(count)} selected</span>
    {more}
    {children}
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

type BulkHandlers = Record<"move" | "tag" | "trash", () => void>;

const BulkActions = ({ move, tag, trash }: BulkHandlers) => (
  <>
    <Button onPress={move}>
      <FolderInput aria-hidden="true" size="1rem" /> Move <Key>m</Key>
    </Button>
    <Button onPress={tag}>
      <Tag aria-hidden="true" size="1rem" /> Tags <Key>t</Key>
    </Button>
    <Button onPress={trash}>
      <Trash2 aria-hidden="true" size="1rem" /> Trash <Key>#</Key>
    </Button>
  </>
);

type Props = Pick<BarProps, "count" | "onClear"> & {
  /** Set when more documents exist than are selected. */
  everything: EverythingProps | undefined;
  steps: BulkHandlers;
};

/** The toolbar for selected documents. */
const BulkBar = ({ everything, steps, ...bar }: Props) => (
  <SelectionBar {...bar} more={everything && <SelectEverything {...everything} />}>
    <BulkActions {...steps} />
  </SelectionBar>
);

export default BulkBar;
