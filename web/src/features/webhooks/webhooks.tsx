import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Webhook, webhooksApi } from "../../api/webhooks.ts";
import { Button } from "../../kit/button.tsx";
import { ConfirmButton } from "../../kit/confirm.tsx";
import { Row, Rows } from "../../kit/rows.tsx";
import { Screen, TO_SETTINGS } from "../../kit/screen.tsx";
import { Section } from "../../kit/section.tsx";
import { Empty, Loading, Problem } from "../../kit/states.tsx";
import { Moment } from "../../kit/time.tsx";
import { refresh } from "../../state/queries.ts";
import { attempt, tell } from "./attempt.ts";
import { Deliveries } from "./deliveries.tsx";
import { NewWebhook } from "./new-webhook.tsx";
import { Secret } from "./secret.tsx";

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
    {webhook.failures > 0 && ` · ${webhook.failures} failures in a row`}
    {webhook.last_delivered_at && (
      <>
        {" · last received "}
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
              onPress={() => attempt(async () => tell(await webhooksApi.test(id)))}
            >
              Test
            </Button>
            <Button aria-label={`What ${name} was sent`} onPress={() => setShown(true)}>
              Sent
            </Button>
            <Button
              aria-label={`${isActive ? "Pause" : "Resume"} ${name}`}
              onPress={() => attempt(() => webhooksApi.update(id, { paused: isActive }))}
            >
              {isActive ? "Pause" : "Resume"}
            </Button>
            <ConfirmButton
              title={`Replace the secret of “${name}”?`}
              text="For 24 hours messages are signed with the old secret too, so that you have time to change the receiver."
              verb="Replace"
              aria-label={`Replace the secret of ${name}`}
              act={async () => setSecret((await webhooksApi.replaceSecret(id)).secret)}
            >
              New secret
            </ConfirmButton>
            <ConfirmButton
              title={`Delete “${name}”?`}
              text="Nothing more is sent to it. This cannot be taken back."
              verb="Delete"
              aria-label={`Delete ${name}`}
              act={async () => {
                await webhooksApi.remove(id);
                await refresh("webhooks");
              }}
            >
              Delete
            </ConfirmButton>
          </>
        }
      />
      {isShown && <Deliveries webhook={webhook} onClose={() => setShown(false)} />}
      {secret && <Secret secret={secret} onClose={() => setSecret(undefined)} />}
    </>
  );
}

/** Which other programs are told of what happens. */
export default function Webhooks() {
  const [isCreating, setCreating] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: ["webhooks"],
    queryFn: () => webhooksApi.list({ limit: LIMIT }),
  });
  return (
    <Screen title="Webhooks" back={TO_SETTINGS}>
      <Section
        title="Programs that are told"
        lead="A message goes to each address when something happens, signed, and is tried again for a day."
        actions={<Button onPress={() => setCreating(true)}>New webhook</Button>}
      >
        {error && <Problem problem={error} retry={refetch} />}
        {!data && !error && <Loading />}
        {data?.items.length === 0 && (
          <Empty title="No webhook yet">
            <p>
              Automations such as n8n give you an address for one: a commitment that is due can then start
              anything.
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
      {isCreating && <NewWebhook onClose={() => setCreating(false)} />}
    </Screen>
  );
}
