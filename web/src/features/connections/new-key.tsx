import { useState } from "react";
import { type ApiKey, apiKeysApi } from "../../api/api-keys.ts";
import { Checks, Select } from "../../kit/choices.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { TextField } from "../../kit/field.tsx";
import { Form, SubmitOrCancel } from "../../kit/form.tsx";
import { SecretDialog } from "../../kit/secret-dialog.tsx";
import { useSave } from "../../kit/use-save.ts";
import { refreshResources } from "../../state/queries.ts";
import NearLimit from "../usage/near-limit.tsx";
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

export function NewKey({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<ApiKey["scopes"]>(DEFAULT_SCOPES);
  const [life, setLife] = useState<Lifetime>("365");
  const { isBusy, problem, run } = useSave();
  const [secret, setSecret] = useState<string>();
  const create = async () => {
    const { key } = await apiKeysApi.create({ name, scopes, expires_at: expiryOf(life) });
    setSecret(key);
    await refreshResources("api-keys", "usage");
  };
  if (secret)
    return (
      <SecretDialog title="Your new key" label="the key" secret={secret} onClose={onClose}>
        Copy it now. It’s shown only once. If you lose it, revoke it and create another one.
      </SecretDialog>
    );
  return (
    <Dialog title="New API key" isOpen onClose={onClose}>
      <NearLimit of={["api_keys"]} />
      <Form onSubmit={() => run(create)}>
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
