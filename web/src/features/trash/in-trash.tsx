import { type ReactNode, useEffect } from "react";
import { Button, ButtonLink } from "../../kit/button.tsx";
import { ConfirmButton } from "../../kit/confirm.tsx";
import { Screen } from "../../kit/screen.tsx";
import { Empty } from "../../kit/states.tsx";
import { Moment } from "../../kit/time.tsx";
import { takeTypedKeys } from "../../state/typing-ahead.ts";
import { eraseTrashed, restoreTrashed, type TrashedThing, trashedTitle } from "./trash-actions.ts";

type Props = { thing: TrashedThing; trashedAt: string; children: ReactNode };

/** The screen of an item in the trash, with its content. */
export function TrashedScreen({ thing, trashedAt, children }: Props) {
  // Discards text typed ahead: there is nothing to edit here.
  useEffect(() => void takeTypedKeys(), []);
  return (
    <Screen title={trashedTitle(thing)}>
      <Empty title={`This ${thing.type === "document" ? "document" : "record"} is in the trash`}>
        <p>
          It was moved there <Moment at={trashedAt} /> and will be permanently deleted 30 days later.
        </p>
        <div className="button-row">
          <Button kind="primary" onPress={() => restoreTrashed([thing])}>
            Restore
          </Button>
          <ButtonLink href="/documents?view=trash">Show the trash</ButtonLink>
          <ConfirmButton
            title="Delete permanently?"
            text="All its versions are deleted too. This can’t be undone."
            verb="Delete permanently"
            act={() => eraseTrashed([thing])}
          >
            Delete permanently
          </ConfirmButton>
        </div>
      </Empty>
      {children}
    </Screen>
  );
}
