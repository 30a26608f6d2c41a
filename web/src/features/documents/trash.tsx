import { useState } from "react";
import { TRASH_DAYS } from "../../../../src/contract/life-cycle.ts";
import type { TrashItem } from "../../api/trash.ts";
import { type Action, actionKeys } from "../../kit/actions.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { ConfirmDialog } from "../../kit/confirm.tsx";
import { dayInZone, relativeDay } from "../../kit/dates.ts";
import { Actions, Dialog } from "../../kit/dialog.tsx";
import { TextField } from "../../kit/field.tsx";
import { Form } from "../../kit/form.tsx";
import { RotateCcw, Trash2 } from "../../kit/icons.tsx";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { Empty, Loading, Problem } from "../../kit/states.tsx";
import { Day, Moment, useTimezone, useToday } from "../../kit/time.tsx";
import { TYPE_NAMES } from "../things/names.ts";
import {
  emptyTrash,
  eraseTrashed,
  restoreTrashed,
  trashedCountText,
  trashedTitle,
} from "../trash/trash-actions.ts";
import { SelectionBar } from "./bulk-bar.tsx";
import styles from "./documents.module.css";
import { focusedRowId } from "./focused-row.ts";
import { DocumentRows } from "./list.tsx";
import type { RowFacts } from "./row-look.tsx";
import { useSelection } from "./selection.ts";
import { useTrash } from "./trash-list.ts";

const DAY_MS = 86_400_000;

/** Must be typed to confirm emptying the trash. */
const CONFIRM_WORD = "delete";

const ExpiresIn = ({ at }: { at: string }) => {
  const day = dayInZone(useTimezone(), at);
  const today = useToday();
  return (
    <span>
      expires <Day day={day}>{relativeDay(day, today)}</Day>
    </span>
  );
};

type Listed = { item: TrashItem };

const rowFacts = ({ item }: Listed): RowFacts => ({
  when: undefined,
  words: item.type === "memory" ? TYPE_NAMES[item.memory_type] : "Document",
  where: (
    <>
      <ExpiresIn at={new Date(Date.parse(item.trashed_at) + TRASH_DAYS * DAY_MS).toISOString()} />
      <span>
        deleted <Moment at={item.trashed_at} />
      </span>
    </>
  ),
  action: (
    <IconButton
      label="Restore"
      aria-description={trashedTitle(item)}
      shortcut="r"
      onPress={() => restoreTrashed([item])}
    >
      <RotateCcw aria-hidden="true" />
    </IconButton>
  ),
});
const itemUrl = ({ item: { type, id } }: Listed) =>
  type === "document" ? `/documents/${id}` : `/records/${id}`;

function ConfirmEmpty({ total, onClose }: { total: number; onClose: () => void }) {
  const [typed, setTyped] = useState("");
  return (
    <Dialog title="Empty trash?" isOpen onClose={onClose} role="alertdialog">
      <Form
        onSubmit={() => {
          onClose();
          emptyTrash();
        }}
      >
        <p>
          {total === 1 ? "One item" : `${total} items`} and all earlier versions will be permanently deleted.
          This can’t be undone.
        </p>
        <TextField label={`Type “${CONFIRM_WORD}” to confirm`} autoFocus value={typed} onChange={setTyped} />
        <Actions>
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" kind="danger" isDisabled={typed.trim().toLowerCase() !== CONFIRM_WORD}>
            Empty trash
          </Button>
        </Actions>
      </Form>
    </Dialog>
  );
}

/** Deleted documents and records, which can be restored for 30 days. */
export default function Trash() {
  const list = useTrash();
  const { selected, chosen: rows, select, clear } = useSelection(list.items);
  const chosen = rows.map(({ item }) => item);
  const [asked, setAsked] = useState<"erase" | "empty">();
  const restoreChosen = () => {
    clear();
    restoreTrashed(chosen);
  };
  const actions: Action[] = [
    { name: "Restore", icon: RotateCcw, shortcut: "r", run: restoreChosen },
    { name: "Delete permanently", shortcut: "#", isDangerous: true, run: () => setAsked("erase") },
  ];
  const restoreFocused = () => {
    const focused = list.items.find(({ id }) => id === focusedRowId());
    if (focused) restoreTrashed([focused.item]);
  };
  useShortcuts(chosen.length > 0 ? actionKeys(actions) : { r: restoreFocused });
  if (list.error) return <Problem problem={list.error} retry={list.refetch} />;
  if (list.isPending) return <Loading />;
  if (list.items.length === 0) {
    return (
      <Empty title="The trash is empty">
        <p>Deleted items stay here for {TRASH_DAYS} days and can be restored until then.</p>
      </Empty>
    );
  }
  return (
    <>
      {chosen.length > 0 ? (
        <SelectionBar count={chosen.length} onClear={clear} actions={actions} />
      ) : (
        <div className={styles.filters}>
          <p className={styles.quiet}>Items are permanently deleted after {TRASH_DAYS} days.</p>
          <Button kind="danger" onPress={() => setAsked("empty")}>
            <Trash2 aria-hidden="true" size="1rem" /> Empty trash
          </Button>
        </div>
      )}
      <DocumentRows
        label="Trash"
        items={list.items}
        total={list.total}
        selected={selected}
        onSelect={select}
        facts={rowFacts}
        href={itemUrl}
        hasMore={list.hasNextPage}
        isLoading={list.isFetchingNextPage}
        loadMore={list.fetchNextPage}
      />
      {asked === "empty" && <ConfirmEmpty total={list.total} onClose={() => setAsked(undefined)} />}
      {asked === "erase" && (
        <ConfirmDialog
          title={`Permanently delete ${trashedCountText(chosen)}?`}
          text="All versions are deleted too. This can’t be undone."
          verb="Delete permanently"
          onClose={() => setAsked(undefined)}
          onConfirm={() => {
            clear();
            eraseTrashed(chosen);
          }}
        />
      )}
    </>
  );
}
