import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../kit/button.tsx";
import { Actions, Dialog } from "../../kit/dialog.tsx";
import { Loading, Problem } from "../../kit/states.tsx";
import { isUndone, MOST } from "./in-turn.ts";
import { KeptList } from "./outcome.tsx";
import { type Collected, countOf, tryOut, undo } from "./undo.ts";

type Props = {
  /** What is to be undone: "what Claude changed on Saturday". */
  what: string;
  /** The changes that it is. */
  collect: () => Promise<Collected>;
  onClose: () => void;
};

/** Tries out the undoing of many changes, shows the result, and carries it out on confirmation. */
export function UndoMany({ what, collect, onClose }: Props) {
  const [isBusy, setBusy] = useState(false);
  const trial = useQuery({
    queryKey: ["activity", "trial", what],
    queryFn: async () => {
      const { ids, isCut } = await collect();
      return { isCut, results: await tryOut(ids) };
    },
    gcTime: 0,
    staleTime: "static",
  });
  const { results = [], isCut = false } = trial.data ?? {};
  const possible = results.filter(isUndone);
  const kept = results.filter((result) => !isUndone(result));
  const carryOut = async () => {
    setBusy(true);
    await undo(possible.map(({ id }) => id));
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
              ? "Nothing of it can be undone."
              : `${possible.length === 1 ? "One change is" : `${possible.length} changes are`} undone, the newest first. What is there now stays among the versions.`}
          </p>
          {isCut && (
            <p>
              These are the newest {MOST.toLocaleString("en")} of them. For the older ones, do this again
              afterwards.
            </p>
          )}
          {kept.length > 0 && (
            <>
              <p>
                {kept.length === 1 ? "This one stays as it is:" : `These ${kept.length} stay as they are:`}
              </p>
              <KeptList results={kept} />
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
            Undo {countOf(possible.length)}
          </Button>
        )}
      </Actions>
    </Dialog>
  );
}
