import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { account, type Passkey, type PasskeyOptions } from "../../api/account.ts";
import { Button } from "../../kit/button.tsx";
import { ConfirmButton } from "../../kit/confirm.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { TextField } from "../../kit/field.tsx";
import { Form, FormError, SubmitOrCancel } from "../../kit/form.tsx";
import { Row, Rows } from "../../kit/rows.tsx";
import { Section } from "../../kit/section.tsx";
import { Loading, Problem } from "../../kit/states.tsx";
import { Moment } from "../../kit/time.tsx";
import { useSave } from "../../kit/use-save.ts";
import { refreshResources } from "../../state/queries.ts";
import { createPasskey, supportsPasskeys } from "./passkey.ts";
import { useProofFields } from "./proof.tsx";

const refreshPasskeys = () => refreshResources("passkeys", "second-factor", "security-events");

function AddPasskey({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("This device");
  const { fields, proof, isGiven } = useProofFields({ autoFocus: true });
  const [options, setOptions] = useState<PasskeyOptions>();
  const { isBusy, problem, run } = useSave("Passkey added");
  const canRetryPrompt = options !== undefined && !isBusy;
  const add = async () => {
    // After the browser's prompt was dismissed, it can be shown again without a new code.
    const current = options ?? (await account.passkeyOptions(proof));
    setOptions(current);
    const attestation = await createPasskey(current);
    setOptions(undefined);
    await account.addPasskey({ name: name.trim(), attestation });
    await refreshPasskeys();
    onClose();
  };
  return (
    <Dialog title="Add a passkey" isOpen onClose={onClose}>
      <Form onSubmit={() => run(add)}>
        <TextField label="Name" value={name} onChange={setName} />
        {!canRetryPrompt && fields}
        <FormError>{problem}</FormError>
        <SubmitOrCancel
          verb={canRetryPrompt ? "Try again" : "Add"}
          onCancel={onClose}
          isDisabled={isBusy || !(canRetryPrompt || isGiven) || !name.trim()}
        />
      </Form>
    </Dialog>
  );
}

function RenamePasskey({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const [name, setName] = useState(passkey.name);
  const { isBusy, problem, run } = useSave("Renamed");
  const rename = async () => {
    await account.renamePasskey(passkey.id, name.trim());
    await refreshPasskeys();
    onClose();
  };
  return (
    <Dialog title="Rename passkey" isOpen onClose={onClose}>
      <Form onSubmit={() => run(rename)}>
        <TextField label="Name" autoFocus value={name} onChange={setName} problem={problem} />
        <SubmitOrCancel verb="Rename" onCancel={onClose} isDisabled={isBusy || !name.trim()} />
      </Form>
    </Dialog>
  );
}

const PasskeyRow = ({ passkey, rename }: { passkey: Passkey; rename: () => void }) => (
  <Row
    title={passkey.name}
    facts={
      <>
        {"added "}
        <Moment at={passkey.created_at} />
        {passkey.last_used_at && (
          <>
            {" · last used "}
            <Moment at={passkey.last_used_at} />
          </>
        )}
      </>
    }
    actions={
      <>
        <Button onPress={rename} aria-label={`Rename ${passkey.name}`}>
          Rename
        </Button>
        <ConfirmButton
          title={`Remove ${passkey.name}?`}
          text="You can no longer sign in with it. Remove it from the device’s settings, too."
          verb="Remove"
          aria-label={`Remove ${passkey.name}`}
          act={() => account.removePasskey(passkey.id).then(refreshPasskeys)}
        >
          Remove
        </ConfirmButton>
      </>
    }
  />
);

export function Passkeys() {
  const [isAdding, setAdding] = useState(false);
  const [renamed, setRenamed] = useState<Passkey>();
  const { data, error, refetch } = useQuery({ queryKey: ["passkeys"], queryFn: account.passkeys });
  return (
    <Section
      id="passkeys"
      title="Passkeys"
      lead="Sign in with your fingerprint, your face or a security key instead of a password and a code."
    >
      {error && <Problem problem={error} retry={refetch} />}
      {!data && !error && <Loading />}
      {data && data.total > 0 && (
        <Rows label="Passkeys">
          {data.items.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} rename={() => setRenamed(passkey)} />
          ))}
        </Rows>
      )}
      {supportsPasskeys() ? (
        <div className="button-row">
          <Button onPress={() => setAdding(true)}>Add a passkey…</Button>
        </div>
      ) : (
        <p>This browser can’t create passkeys at this address.</p>
      )}
      {isAdding && <AddPasskey onClose={() => setAdding(false)} />}
      {renamed && <RenamePasskey passkey={renamed} onClose={() => setRenamed(undefined)} />}
    </Section>
  );
}
