import { useState } from "react";
import type { User } from "../../api/account.ts";
import { signedOutPath } from "../../api/current-account.ts";
import { Button, ButtonLink } from "../../kit/button.tsx";
import { Actions, Dialog } from "../../kit/dialog.tsx";
import { TextField } from "../../kit/field.tsx";
import { Form, FormError } from "../../kit/form.tsx";
import { Section } from "../../kit/section.tsx";
import { useSave } from "../../kit/use-save.ts";
import { eraseAccount } from "../../state/session.ts";
import { deleteUnsentWork } from "./delete-unsent-work.ts";
import { useProofFields } from "./proof.tsx";

function Confirmation({ me, onClose }: { me: User; onClose: () => void }) {
  const [email, setEmail] = useState("");
  const { fields, proof, isGiven } = useProofFields();
  const { isBusy, problem, run } = useSave();
  const erase = async () => {
    if (await run(() => eraseAccount(proof, () => deleteUnsentWork(me.id)))) location.assign(signedOutPath());
  };
  return (
    <Dialog title="Delete your account" isOpen onClose={onClose} role="alertdialog">
      <p>
        All documents, versions, records, keys and connections are deleted immediately. This can’t be undone.
        Export your data first.
      </p>
      <Form onSubmit={erase}>
        <TextField label={`Type ${me.email} to confirm`} autoFocus value={email} onChange={setEmail} />
        {fields}
        <FormError>{problem}</FormError>
        <Actions>
          <ButtonLink href="/settings/transfer">Export first</ButtonLink>
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" kind="danger" isDisabled={isBusy || email.trim() !== me.email || !isGiven}>
            Delete permanently
          </Button>
        </Actions>
      </Form>
    </Dialog>
  );
}

export function DeleteAccount({ me }: { me: User }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <Section
      id="delete-account"
      title="Delete your account"
      lead="Permanently deletes everything in your account."
    >
      <div>
        <Button kind="danger" onPress={() => setAsking(true)}>
          Delete my account…
        </Button>
      </div>
      {isAsking && <Confirmation me={me} onClose={() => setAsking(false)} />}
    </Section>
  );
}
