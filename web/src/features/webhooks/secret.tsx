import { Button } from "../../kit/button.tsx";
import { CopyText } from "../../kit/copy.tsx";
import { Actions, Dialog } from "../../kit/dialog.tsx";

/** A signing secret, which is shown only once. */
export const Secret = ({ secret, onClose }: { secret: string; onClose: () => void }) => (
  <Dialog title="The signing secret" isOpen>
    <p>
      Copy it now: it is shown only once. With it the receiver checks that a message comes from here, by any
      library of Standard Webhooks.
    </p>
    <CopyText label="the secret" text={secret} />
    <Actions>
      <Button kind="primary" onPress={onClose}>
        I have copied it
      </Button>
    </Actions>
  </Dialog>
);
