import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { account, type SecurityEvent } from "../../api/account.ts";
import { Button } from "../../kit/button.tsx";
import { Row, Rows } from "../../kit/rows.tsx";
import { Section } from "../../kit/section.tsx";
import { Loading, Problem } from "../../kit/states.tsx";
import { Moment } from "../../kit/time.tsx";

const FEW = 10;
const MANY = 100;

const WORDS: Record<SecurityEvent["event"], string> = {
  registered: "The account was created",
  signed_in: "Signed in",
  sign_in_failed: "A sign-in failed",
  session_ended: "A session was ended",
  signed_out_everywhere: "Signed out everywhere",
  password_changed: "The password was changed",
  password_reset_requested: "A password reset link was requested",
  password_reset: "The password was reset by email",
  email_verified: "The email address was confirmed",
  email_change_requested: "A new email address was requested",
  email_changed: "The email address was changed",
  email_change_undone: "The change of the email address was undone",
  second_factor_added: "Two-factor authentication was turned on",
  second_factor_removed: "Two-factor authentication was turned off",
  recovery_codes_created: "New recovery codes were created",
  recovery_code_used: "A recovery code was used",
  passkey_added: "A passkey was added",
  passkey_removed: "A passkey was removed",
  api_key_created: "An API key was created",
  api_key_revoked: "An API key was revoked",
  connection_made: "An assistant was connected",
  connection_ended: "An assistant was disconnected",
  connection_token_reused: "An assistant was disconnected because an old token or code was used again",
  calendar_address_created: "A calendar address was created",
  export_taken: "Data was exported",
};

const EventRow = ({ event }: { event: SecurityEvent }) => (
  <Row
    title={event.detail ? `${WORDS[event.event]}: ${event.detail}` : WORDS[event.event]}
    facts={
      <>
        <Moment at={event.created_at} />
        {event.client_name && ` · ${event.client_name}`}
      </>
    }
  />
);

export function SecurityLog() {
  const [limit, setLimit] = useState(FEW);
  const { data, error, refetch } = useQuery({
    queryKey: ["security-events", limit],
    queryFn: () => account.events({ limit }),
  });
  return (
    <Section id="events" title="Security log" lead="Sign-ins and access changes from the last 90 days.">
      {error && <Problem problem={error} retry={refetch} />}
      {!data && !error && <Loading />}
      {data && (
        <Rows label="Security events">
          {data.items.map((event) => (
            <EventRow key={event.id} event={event} />
          ))}
        </Rows>
      )}
      {data && data.total > limit && limit < MANY && (
        <div>
          <Button onPress={() => setLimit(MANY)}>Show more</Button>
        </div>
      )}
    </Section>
  );
}
