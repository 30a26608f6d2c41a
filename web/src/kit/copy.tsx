import { useState } from "react";
import { toast } from "../state/toasts.ts";
import { Button } from "./button.tsx";
import styles from "./copy.module.css";
import { Check, Copy } from "./icons.tsx";

const COPIED_MS = 2000;

export function CopyText({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      setTimeout(() => setCopied(false), COPIED_MS);
    } catch {
      toast({ kind: "refused", text: "The browser blocked copying. Select the text and copy it yourself." });
    }
  };
  return (
    <div className={styles.copy}>
      <pre>{text}</pre>
      <Button onPress={copy} aria-label={`Copy ${label}`}>
        {copied ? <Check /> : <Copy />}
        {copied ? "Copied" : "Copy"}
      </Button>
    </div>
  );
}
