import { type ReactNode, useEffect } from "react";
import { Button, ButtonLink } from "../../kit/button.tsx";
import { ConfirmButton } from "../../kit/confirm.tsx";
import { Actions } from "../../kit/dialog.tsx";
import { Screen } from "../../kit/screen.tsx";
import { Empty } from "../../kit/states.tsx";
import { Moment } from "../../kit/time.tsx";
import { takeTyped } from "../../state/typing-ahead.ts";
import { erase, restore, type Thing, titleOf } from "./trash-actions.ts";

type Props = { thing: Thing; trashedAt: string; children: ReactNode };

/** The screen of what is in the trash, which can be read there. */
export function InTrash({ thing, trashedAt, children }: Props) {
  // There is nothing to write in.
  useEffect(() => void takeTyped(), []);
  return (
    <Screen title={titleOf(thing)}>
      <Empty title={`This ${thing.type === "document" ? "document" : "record"} is in the trash`}>
        <p>
          It was put there <Moment at={trashedAt} />, and is erased 30 days after that.
        </p>
        <Actions>
          <ButtonLink href="/documents?view=trash">Show the trash</ButtonLink>
          <ConfirmButton
            title="Erase it for good?"
            text="It is erased with all its versions. This cannot be undone."
            verb="Erase"
            act={() => erase([thing])}
          >
            Erase it for good
          </ConfirmButton>
          <Button kind="primary" onPress={() => restore([thing])}>
            Restore it
          </Button>
        </Actions>
      </Empty>
      {children}
    </Screen>
  );
}
