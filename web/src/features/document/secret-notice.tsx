import { useEffect, useState } from "react";
import type { Document } from "../../api/documents.ts";
import { type Secret, SecretQuestion, secretAt } from "../things/secret.tsx";
import { writingOf } from "./writing.ts";

/** Warns once about each kind of secret in the edited document. */
export default function SecretNotice({ document }: { document: Document }) {
  const [found, setFound] = useState<Secret>();
  const [kept, setKept] = useState<readonly string[]>([]);
  const { text } = writingOf(document.content);
  useEffect(() => setFound(secretAt(text)), [text]);
  if (!found || kept.includes(found.what)) return null;
  return <SecretQuestion secret={found} keep="Keep it here" onKeep={() => setKept([...kept, found.what])} />;
}
