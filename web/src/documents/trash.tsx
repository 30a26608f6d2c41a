import { RotateCcw, Trash2 } from "lucide-react";
import { useState } from "react";
import { documentsApi, type TrashItem, trashApi } from "../api.ts";
import { Button } from "../parts/button.tsx";
import { dayIn, relativeDay } from "../parts/dates.ts";
import { Actions, Dialog } from "../parts/dialog.tsx";
import { attempt, restoreAll, sendOperations } from "../parts/document-actions.ts";
import { TextField } from "../parts/field.tsx";
import { useShortcuts } from "../parts/shortcuts.ts";
import { Empty, Loading, Problem } from "../parts/states.tsx";
import { Day, Moment, useTimezone, useToday } from "../parts/time.tsx";
import { toast } from "../parts/toasts.tsx";
import { SelectionBar } from "./bulk-bar.tsx";
import { useTrash } from "./data.ts";
import styles from "./documents.module.css";
import { DocumentRows } from "./list.tsx";
import { useSelection } from "./selection.ts";

const DAYS = 30;
const DAY_MS = 86_400_000;

/** What must be typed before everything is erased. */
const WORD = "erase";

const countOf = (items: readonly TrashItem[]) =>
  items.length === 1 ? `“${items[0]?.title}”` : `${items.length} documents`;

const restore = (items: readonly TrashItem[]) =>
  attempt(async () => {
    const ids = items.map(({ id }) => id);
    await restoreAll(ids);
    toast({
      text: `${countOf(items)} restored`,
      undo: () => attempt(() => sendOperations(ids.map((id) => ({ operation: "delete", id })))),
    });
  });

const erase = (items: readonly TrashItem[]) =>
  attempt(async () => {
    for (const { id } of items) await documentsApi.remove(id, true);
    toast({ text: `${countOf(items)} erased` });
  });

const emptyTrash = () =>
  attempt(async () => {
    await trashApi.empty();
    toast({ text: "The trash is empty" });
  });

const Erased = ({ at }: { at: string }) => {
  const day = dayIn(useTimezone(), at);
  const today = useToday();
  return (
    <span>
      erased <Day day={day}>{relativeDay(day, today)}</Day>
    </span>
  );
};

const Facts = ({ item }: { item: TrashItem }) => (
  <span className={styles.facts}>
    <span>
      deleted <Moment at={item.trashed_at} />
    </span>
    <Erased at={new Date(Date.parse(item.trashed_at) + DAYS * DAY_MS).toISOString()} />
  </span>
);

type AskProps = { items: TrashItem[]; onClose: () => void; onErase: () => void };

const AskToErase = ({ items, onClose, onErase }: AskProps) => (
  <Dialog title={`Erase ${countOf(items)} for good?`} isOpen onClose={onClose} role="alertdialog">
    <p>With all earlier versions. This cannot be undone.</p>
    <Actions>
      <Button autoFocus onPress={onClose}>
        Keep
      </Button>
      <Button kind="danger" onPress={onErase}>
        Erase for good
      </Button>
    </Actions>
  </Dialog>
);

function AskToEmpty({ total, onClose }: { total: number; onClose: () => void }) {
  const [typed, setTyped] = useState("");
  return (
    <Dialog title="Empty the trash?" isOpen onClose={onClose} role="alertdialog">
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          onClose();
          emptyTrash();
        }}
      >
        <p>
          {total === 1 ? "One document is" : `${total} documents are`} erased for good, with all earlier
          versions. This cannot be undone.
        </p>
        <TextField label={`Type “${WORD}” to confirm`} autoFocus value={typed} onChange={setTyped} />
        <Actions>
          <Button onPress={onClose}>Keep</Button>
          <Button type="submit" kind="danger" isDisabled={typed.trim().toLowerCase() !== WORD}>
            Empty the trash
          </Button>
        </Actions>
      </form>
    </Dialog>
  );
}

/** Documents that were deleted: each can come back for 30 days. */
export function Trash() {
  const list = useTrash();
  const { selected, chosen, select, clear } = useSelection(list.items);
  const [asked, setAsked] = useState<"erase" | "empty">();
  const restoreChosen = () => {
    if (chosen.length === 0) return;
    clear();
    restore(chosen);
  };
  useShortcuts({ r: restoreChosen, "#": () => chosen.length > 0 && setAsked("erase") });
  if (list.error) return <Problem problem={list.error} retry={list.refetch} />;
  if (list.isPending) return <Loading />;
  if (list.items.length === 0) {
    return (
      <Empty title="The trash is empty">
        <p>What you delete stays here for {DAYS} days, and can be restored until then.</p>
      </Empty>
    );
  }
  return (
    <>
      {chosen.length > 0 ? (
        <SelectionBar count={chosen.length} onClear={clear}>
          <Button onPress={restoreChosen}>
            <RotateCcw aria-hidden="true" size="1rem" /> Restore <kbd>r</kbd>
          </Button>
          <Button kind="danger" onPress={() => setAsked("erase")}>
            Erase for good <kbd>#</kbd>
          </Button>
        </SelectionBar>
      ) : (
        <div className={styles.filters}>
          <p className={styles.quiet}>Select documents to restore them. They are erased after {DAYS} days.</p>
          <Button kind="danger" onPress={() => setAsked("empty")}>
            <Trash2 aria-hidden="true" size="1rem" /> Empty the trash
          </Button>
        </div>
      )}
      <DocumentRows
        label="Trash"
        items={list.items}
        total={list.total}
        selected={selected}
        onSelect={select}
        facts={(item) => <Facts item={item} />}
        href={({ id }) => `/documents/${id}`}
        hasMore={list.hasNextPage}
        isLoading={list.isFetchingNextPage}
        loadMore={list.fetchNextPage}
      />
      {asked === "empty" && <AskToEmpty total={list.total} onClose={() => setAsked(undefined)} />}
      {asked === "erase" && (
        <AskToErase
          items={chosen}
          onClose={() => setAsked(undefined)}
          onErase={() => {
            setAsked(undefined);
            clear();
            erase(chosen);
          }}
        />
      )}
    </>
  );
}
