import { SecretDialog } from "../../kit/secret-dialog.tsx";

export const SigningSecretDialog = (props: { secret: string; onClose: () => void }) => (
  <SecretDialog {...props} title="Signing secret" label="the secret">
    Copy it now. It won’t be shown again. The receiver uses it to verify that a message comes from here, with
    any Standard Webhooks library.
  </SecretDialog>
);
