import { Button } from "../../kit/button.tsx";
import { CopyText } from "../../kit/copy.tsx";
import { Actions, Dialog } from "../../kit/dialog.tsx";

/** A signing secret, which is shown only once. */
export const SigningSecretDialog = ({ secret, onClose }: { secret: string; onClose: () => void }) => (
  <Dialog title="Signing secret" isOpen>
    <p>
      Copy it now. It won’t be shown again. The receiver uses it to verify that a message comes from here,
      with any Standard Webhooks library.
    </p>
    <CopyText label="the secret" text={secret} />
    <Actions>
      <Button kind="primary" onPress={onClose}>
        I’ve copied it
      </Button>
    </Actions>
  </Dialog>
);
