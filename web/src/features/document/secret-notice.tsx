import { useEffect, useState } from "react";
import type { Document } from "../../api/documents.ts";
import { type Secret, SecretQuestion, secretAt } from "../things/secret.tsx";
import { writingOf } from "./writing.ts";

/** Says once of a document that is being written that a text in it looks like a secret. */
export default function SecretNotice({ document }: { document: Document }) {
  const [found, setFound] = useState<Secret>();
  const [kept, setKept] = useState<readonly string[]>([]);
  const { text } = writingOf(document.content);
  useEffect(() => setFound(secretAt(text)), [text]);
  if (!found || kept.includes(found.what)) return null;
  return <SecretQuestion secret={found} keep="Keep it here" onKeep={() => setKept([...kept, found.what])} />;
}
