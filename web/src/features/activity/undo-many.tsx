import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../kit/button.tsx";
import { Actions, Dialog } from "../../kit/dialog.tsx";
import { Loading, Problem } from "../../kit/states.tsx";
import { NotUndoneList } from "./outcome.tsx";
import { type ChangesToUndo, changeCountText, previewUndo, undoByIds } from "./undo.ts";
import { isUndone, MAX_UNDONE } from "./undo-batches.ts";

type Props = {
  /** For the title: "everything Claude changed on Saturday". */
  what: string;
  collect: () => Promise<ChangesToUndo>;
  onClose: () => void;
};

/** Previews undoing many changes, and undoes them after confirmation. */
export function UndoManyDialog({ what, collect, onClose }: Props) {
  const [isBusy, setBusy] = useState(false);
  const trial = useQuery({
    queryKey: ["activity", "trial", what],
    queryFn: async () => {
      const { ids, isCut } = await collect();
      return { isCut, results: await previewUndo(ids) };
    },
    gcTime: 0,
    staleTime: "static",
  });
  const { results = [], isCut = false } = trial.data ?? {};
  const possible = results.filter(isUndone);
  const kept = results.filter((result) => !isUndone(result));
  const carryOut = async () => {
    setBusy(true);
    await undoByIds(possible.map(({ id }) => id));
    onClose();
  };
  return (
    <Dialog title={`Undo ${what}?`} isOpen onClose={onClose} role="alertdialog">
      {trial.isPending && <Loading />}
      {trial.error && <Problem problem={trial.error} retry={trial.refetch} />}
      {trial.data && (
        <>
          <p>
            {possible.length === 0
              ? "None of this can be undone."
              : `${possible.length === 1 ? "One change" : `${possible.length} changes`} will be undone, newest first. The current state stays in the version history.`}
          </p>
          {isCut && (
            <p>
              These are the newest {MAX_UNDONE.toLocaleString("en")} changes. To undo older ones, repeat this
              afterwards.
            </p>
          )}
          {kept.length > 0 && (
            <>
              <p>
                {kept.length === 1
                  ? "This change can’t be undone:"
                  : `These ${kept.length} changes can’t be undone:`}
              </p>
              <NotUndoneList results={kept} />
            </>
          )}
        </>
      )}
      <Actions>
        <Button autoFocus onPress={onClose}>
          {possible.length > 0 ? "Cancel" : "Close"}
        </Button>
        {possible.length > 0 && (
          <Button kind="danger" isDisabled={isBusy} onPress={() => void carryOut()}>
            Undo {changeCountText(possible.length)}
          </Button>
        )}
      </Actions>
    </Dialog>
  );
}
