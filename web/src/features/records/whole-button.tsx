import { useState } from "react";
import { Button } from "../../kit/button.tsx";
import { toast } from "../../state/toasts.ts";
import type { RecordItem } from "./row.ts";
import { stepsDone } from "./take-step.ts";

type Props = {
  name: string;
  read: () => Promise<readonly RecordItem[]>;
  onRead: (rows: readonly RecordItem[]) => void;
};

/** Reads all records of a list, also those that are not loaded or still being changed, and hands them on. */
export function WholeButton({ name, read, onRead }: Props) {
  const [isReading, setReading] = useState(false);
  const press = () => {
    setReading(true);
    void stepsDone()
      .then(read)
      .then(onRead)
      .catch(({ message: text }: Error) => toast({ kind: "refused", text }))
      .finally(() => setReading(false));
  };
  return (
    <Button kind="quiet" isDisabled={isReading} onPress={press}>
      {isReading ? "Loading…" : name}
    </Button>
  );
}
