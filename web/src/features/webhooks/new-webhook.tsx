import { useState } from "react";
import {
  WEBHOOK_EVENT_NAMES,
  WEBHOOK_EVENTS,
  type WebhookEvent,
} from "../../../../src/contract/webhook-events.ts";
import { webhooksApi } from "../../api/webhooks.ts";
import { Checks } from "../../kit/choices.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { TextField } from "../../kit/field.tsx";
import { Form, SubmitOrCancel } from "../../kit/form.tsx";
import { useSave } from "../../kit/use-save.ts";
import { refreshResources } from "../../state/queries.ts";
import { SigningSecretDialog } from "./secret.tsx";

/** The events that a webhook can receive, each with when it is sent. */
const EVENT_OPTIONS = WEBHOOK_EVENT_NAMES.map((value) => ({ value, text: WEBHOOK_EVENTS[value] }));
const CONTENT = [{ value: "content", text: "The content of the document or record" }] as const;

export function NewWebhookDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [url, setUrl] = useState("");
  const [events, setEvents] = useState<WebhookEvent[]>(["commitment.due", "commitment.overdue"]);
  const [content, setContent] = useState<"content"[]>([]);
  const { isBusy, problem, run } = useSave();
  const [secret, setSecret] = useState<string>();
  const create = async () => {
    const input = { name, url, events, include_content: content.length > 0 };
    setSecret((await webhooksApi.create(input)).secret);
    await refreshResources("webhooks");
  };
  if (secret) return <SigningSecretDialog secret={secret} onClose={onClose} />;
  return (
    <Dialog title="New webhook" isOpen onClose={onClose}>
      <Form onSubmit={() => run(create)}>
        <TextField
          label="Name"
          hint="The app that receives the events"
          placeholder="Automation"
          autoFocus
          isRequired
          value={name}
          onChange={setName}
        />
        <TextField
          label="Address"
          hint="A public https address"
          placeholder="https://"
          inputMode="url"
          isRequired
          value={url}
          onChange={setUrl}
          problem={problem}
        />
        <Checks label="Events to send" value={events} options={EVENT_OPTIONS} onChange={setEvents} />
        <Checks label="Include" value={content} options={CONTENT} onChange={setContent} />
        <SubmitOrCancel verb="Create webhook" onCancel={onClose} isDisabled={isBusy || events.length === 0} />
      </Form>
    </Dialog>
  );
}
