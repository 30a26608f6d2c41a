import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Webhook, webhooksApi } from "../../api/webhooks.ts";
import { Button } from "../../kit/button.tsx";
import { ConfirmButton } from "../../kit/confirm.tsx";
import { Row, Rows } from "../../kit/rows.tsx";
import { BACK_TO_SETTINGS, Screen } from "../../kit/screen.tsx";
import { Section } from "../../kit/section.tsx";
import { Empty, Loading, Problem } from "../../kit/states.tsx";
import { Moment } from "../../kit/time.tsx";
import { refreshResources } from "../../state/queries.ts";
import { attemptWebhookChange, showDeliveryResult } from "./attempt.ts";
import { DeliveriesDialog } from "./deliveries.tsx";
import { NewWebhookDialog } from "./new-webhook.tsx";
import { SigningSecretDialog } from "./secret.tsx";

/** More than an account can have. */
const LIMIT = 100;

const STATES = { active: "active", paused: "paused", switched_off: "switched off" };

const Facts = ({ webhook }: { webhook: Webhook }) => (
  <>
    {new URL(webhook.url).host}
    {" · "}
    {webhook.events.length === 1 ? webhook.events[0] : `${webhook.events.length} events`}
    {" · "}
    {STATES[webhook.status]}
    {webhook.failures > 0 && ` · ${webhook.failures} consecutive failures`}
    {webhook.last_delivered_at && (
      <>
        {" · last delivered "}
        <Moment at={webhook.last_delivered_at} />
      </>
    )}
    {webhook.notice && (
      <>
        <br />
        {webhook.notice.split(". ")[0]}. Fix the receiver, then resume the webhook.
      </>
    )}
  </>
);

function WebhookRow({ webhook }: { webhook: Webhook }) {
  const [isShown, setShown] = useState(false);
  const [secret, setSecret] = useState<string>();
  const { id, name, status } = webhook;
  const isActive = status === "active";
  return (
    <>
      <Row
        title={name}
        facts={<Facts webhook={webhook} />}
        actions={
          <>
            <Button
              aria-label={`Test ${name}`}
              onPress={() => attemptWebhookChange(async () => showDeliveryResult(await webhooksApi.test(id)))}
            >
              Test
            </Button>
            <Button aria-label={`Deliveries to ${name}`} onPress={() => setShown(true)}>
              Deliveries
            </Button>
            <Button
              aria-label={`${isActive ? "Pause" : "Resume"} ${name}`}
              onPress={() => attemptWebhookChange(() => webhooksApi.update(id, { paused: isActive }))}
            >
              {isActive ? "Pause" : "Resume"}
            </Button>
            <ConfirmButton
              title={`Replace the secret of “${name}”?`}
              text="For 24 hours, messages are also signed with the old secret, so that you have time to update the receiver."
              verb="Replace"
              aria-label={`Replace the secret of ${name}`}
              act={async () => setSecret((await webhooksApi.replaceSecret(id)).secret)}
            >
              New secret
            </ConfirmButton>
            <ConfirmButton
              title={`Delete “${name}”?`}
              text="It no longer receives events. This can’t be undone."
              verb="Delete"
              aria-label={`Delete ${name}`}
              act={() => webhooksApi.remove(id).then(() => refreshResources("webhooks"))}
            >
              Delete
            </ConfirmButton>
          </>
        }
      />
      {isShown && <DeliveriesDialog webhook={webhook} onClose={() => setShown(false)} />}
      {secret && <SigningSecretDialog secret={secret} onClose={() => setSecret(undefined)} />}
    </>
  );
}

export default function Webhooks() {
  const [isCreating, setCreating] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: ["webhooks"],
    queryFn: () => webhooksApi.list({ limit: LIMIT }),
  });
  return (
    <Screen title="Webhooks" back={BACK_TO_SETTINGS}>
      <Section
        title="Webhooks that receive events"
        lead="Each address receives a signed message when something happens. Failed deliveries are retried for a day."
        actions={<Button onPress={() => setCreating(true)}>New webhook</Button>}
      >
        {error && <Problem problem={error} retry={refetch} />}
        {!data && !error && <Loading />}
        {data?.items.length === 0 && (
          <Empty title="No webhooks yet">
            <p>
              Automation tools such as n8n give you an address for a webhook. A commitment that comes due can
              then start any automation.
            </p>
          </Empty>
        )}
        {data && data.items.length > 0 && (
          <Rows label="Webhooks">
            {data.items.map((webhook) => (
              <WebhookRow key={webhook.id} webhook={webhook} />
            ))}
          </Rows>
        )}
      </Section>
      {isCreating && <NewWebhookDialog onClose={() => setCreating(false)} />}
    </Screen>
  );
}
