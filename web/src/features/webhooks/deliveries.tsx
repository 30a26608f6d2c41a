import { useInfiniteQuery } from "@tanstack/react-query";
import { type Webhook, type WebhookDelivery, webhooksApi } from "../../api/webhooks.ts";
import { Button } from "../../kit/button.tsx";
import { Actions, Dialog } from "../../kit/dialog.tsx";
import { Row, Rows } from "../../kit/rows.tsx";
import { Loading, Problem } from "../../kit/states.tsx";
import { Moment } from "../../kit/time.tsx";
import { attemptWebhookChange, showDeliveryResult } from "./attempt.ts";

const PAGE = 20;

const Facts = ({ delivery }: { delivery: WebhookDelivery }) => (
  <>
    <Moment at={delivery.occurred_at} />
    {" · "}
    {delivery.status === "delivered" ? "delivered" : delivery.status === "failed" ? "failed" : "pending"}
    {delivery.error && ` · ${delivery.error}`}
    {delivery.next_attempt_at && delivery.attempts > 0 && (
      <>
        {" · next attempt "}
        <Moment at={delivery.next_attempt_at} />
      </>
    )}
  </>
);

const DeliveryRow = ({ webhook, delivery }: { webhook: Webhook; delivery: WebhookDelivery }) => (
  <Row
    title={delivery.event}
    facts={<Facts delivery={delivery} />}
    actions={
      <Button
        aria-label={`Send ${delivery.event} again`}
        onPress={() =>
          attemptWebhookChange(async () =>
            showDeliveryResult(await webhooksApi.replay(webhook.id, delivery.id)),
          )
        }
      >
        Send again
      </Button>
    }
  />
);

/** The deliveries of a webhook, newest first. */
export function DeliveriesDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ["webhooks", webhook.id, "deliveries"],
    queryFn: ({ pageParam }) => webhooksApi.deliveries(webhook.id, { limit: PAGE, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
  const deliveries = data?.pages.flatMap(({ items }) => items);
  return (
    <Dialog title={`Deliveries to “${webhook.name}”`} isOpen onClose={onClose}>
      {error && <Problem problem={error} retry={refetch} />}
      {!deliveries && !error && <Loading />}
      {deliveries?.length === 0 && <p>No deliveries yet. They are listed here for 30 days.</p>}
      {deliveries && deliveries.length > 0 && (
        <Rows label="Deliveries">
          {deliveries.map((delivery) => (
            <DeliveryRow key={delivery.id} webhook={webhook} delivery={delivery} />
          ))}
        </Rows>
      )}
      {hasNextPage && <Button onPress={() => fetchNextPage()}>Show more</Button>}
      <Actions>
        <Button kind="primary" onPress={onClose}>
          Close
        </Button>
      </Actions>
    </Dialog>
  );
}
