import { useEffect, useState } from "react";
import type { Document } from "../../api/documents.ts";
import { type Secret, SecretQuestion, secretAt } from "../things/secret.tsx";
import { writingOf } from "./writing.ts";

/** Warns once about each kind of secret in the edited document. */
export default function SecretNotice({ document }: { document: Document }) {
  const [secret, setSecret] = useState<Secret>();
  const [dismissed, setDismissed] = useState<readonly string[]>([]);
  const { text } = writingOf(document.content);
  useEffect(() => setSecret(secretAt(text)), [text]);
  if (!secret || dismissed.includes(secret.what)) return null;
  return (
    <SecretQuestion
      secret={secret}
      keep="Keep it here"
      onKeep={() => setDismissed([...dismissed, secret.what])}
    />
  );
}
