import type { WebhookDelivery } from "../../api/webhooks.ts";
import { refreshResources } from "../../state/queries.ts";
import { toast } from "../../state/toasts.ts";

/** Runs a change, and shows the error if it is refused. */
export async function attemptWebhookChange(change: () => Promise<unknown>): Promise<void> {
  try {
    await change();
    await refreshResources("webhooks");
  } catch (problem) {
    toast({ kind: "refused", text: (problem as Error).message });
  }
}

/** Shows the result of a delivery that was sent immediately. */
export const showDeliveryResult = ({ status, error }: WebhookDelivery) =>
  toast(
    status === "delivered"
      ? { text: "Delivered" }
      : { kind: "refused", text: `Delivery failed. ${error ?? ""}` },
  );
