import { useState } from "react";
import { dashboardApi } from "../../api/dashboard.ts";
import { Button } from "../../kit/button.tsx";
import { ConfirmButton } from "../../kit/confirm.tsx";
import { CopyText } from "../../kit/copy.tsx";
import { FormError } from "../../kit/form.tsx";
import { Section } from "../../kit/section.tsx";
import { useSave } from "../../kit/use-save.ts";

/** The secret address that calendar apps subscribe to. */
export function Calendar() {
  const [url, setUrl] = useState<string>();
  const { isBusy, problem, run } = useSave("The address is ready");
  const create = () => run(async () => setUrl((await dashboardApi.createCalendar()).url));
  return (
    <Section
      id="calendar"
      title="Calendar"
      lead="Subscribe to your due dates in any calendar. Anyone with the address can see them. Creating a new address revokes the old one."
    >
      {url && <CopyText label="the calendar address" text={url} />}
      <FormError>{problem}</FormError>
      <div className="button-row">
        <Button onPress={create} isDisabled={isBusy}>
          Create new address
        </Button>
        <ConfirmButton
          title="Revoke the calendar address?"
          text="Calendars that subscribe to it no longer receive your due dates."
          verb="Revoke"
          act={async () => {
            await dashboardApi.revokeCalendar();
            setUrl(undefined);
          }}
        >
          Revoke address
        </ConfirmButton>
      </div>
    </Section>
  );
}
