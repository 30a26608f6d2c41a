import { useState } from "react";
import { type ApiKey, apiKeysApi } from "../../api/api-keys.ts";
import { Button } from "../../kit/button.tsx";
import { Checks, Select } from "../../kit/choices.tsx";
import { CopyText } from "../../kit/copy.tsx";
import { Actions, Dialog } from "../../kit/dialog.tsx";
import { TextField } from "../../kit/field.tsx";
import { Form, SubmitOrCancel } from "../../kit/form.tsx";
import { refreshResources } from "../../state/queries.ts";
import { NearLimit } from "../usage/near-limit.tsx";
import { DEFAULT_SCOPES, SCOPES } from "./scopes.ts";

const DAY_MS = 86_400_000;

const LIFETIMES = [
  { value: "90", text: "90 days" },
  { value: "365", text: "One year" },
  { value: "never", text: "Until revoked" },
] as const;
type Lifetime = (typeof LIFETIMES)[number]["value"];

const expiryOf = (life: Lifetime) =>
  life === "never" ? null : new Date(Date.now() + Number(life) * DAY_MS).toISOString();

const KeyCreated = ({ secret, onClose }: { secret: string; onClose: () => void }) => (
  <Dialog title="Your new key" isOpen>
    <p>Copy it now. It’s shown only once. If you lose it, revoke it and create another one.</p>
    <CopyText label="the key" text={secret} />
    <Actions>
      <Button kind="primary" onPress={onClose}>
        I’ve copied it
      </Button>
    </Actions>
  </Dialog>
);

/** Creates a key and shows it once. */
export function NewKey({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<ApiKey["scopes"]>(DEFAULT_SCOPES);
  const [life, setLife] = useState<Lifetime>("365");
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const [secret, setSecret] = useState<string>();
  const create = async () => {
    setBusy(true);
    try {
      const { key } = await apiKeysApi.create({ name, scopes, expires_at: expiryOf(life) });
      setSecret(key);
      await refreshResources("api-keys", "usage");
    } catch (refused) {
      setProblem((refused as Error).message);
    } finally {
      setBusy(false);
    }
  };
  if (secret) return <KeyCreated secret={secret} onClose={onClose} />;
  return (
    <Dialog title="New API key" isOpen onClose={onClose}>
      <NearLimit of={["api_keys"]} />
      <Form onSubmit={create}>
        <TextField
          label="Name"
          hint="The app that will use it"
          placeholder="Backup script"
          autoFocus
          isRequired
          value={name}
          onChange={setName}
          problem={problem}
        />
        <Checks label="Permissions" value={scopes} options={SCOPES} onChange={setScopes} />
        <Select label="Valid for" value={life} options={LIFETIMES} onChange={setLife} />
        <SubmitOrCancel verb="Create key" onCancel={onClose} isDisabled={isBusy || scopes.length === 0} />
      </Form>
    </Dialog>
  );
}
