import type { WebhookDelivery } from "../../api/webhooks.ts";
import { refresh } from "../../state/queries.ts";
import { toast } from "../../state/toasts.ts";

/** Runs a change and shows why it was refused. */
export async function attempt(change: () => Promise<unknown>): Promise<void> {
  try {
    await change();
    await refresh("webhooks");
  } catch (problem) {
    toast({ kind: "refused", text: (problem as Error).message });
  }
}

/** Tells what came of a message that was sent at once. */
export const tell = ({ status, error }: WebhookDelivery) =>
  toast(
    status === "delivered"
      ? { text: "It was received" }
      : { kind: "refused", text: `It was not received. ${error ?? ""}` },
  );
