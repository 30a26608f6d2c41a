import { ButtonLink } from "../../kit/button.tsx";
import { Screen } from "../../kit/screen.tsx";
import { Loading } from "../../kit/states.tsx";
import { useMe } from "../../state/queries.ts";
import { Appearance } from "./appearance.tsx";
import { Calendar } from "./calendar.tsx";
import { DeleteAccount } from "./delete-account.tsx";
import { Email } from "./email.tsx";
import { Events } from "./events.tsx";
import { OnDevice } from "./on-device.tsx";
import { Passkeys } from "./passkeys.tsx";
import { Password } from "./password.tsx";
import { Profile } from "./profile.tsx";
import { Reminders } from "./reminders.tsx";
import { SecondFactor } from "./second-factor.tsx";
import { Sessions } from "./sessions.tsx";
import styles from "./settings.module.css";
import { UsageSection } from "./usage.tsx";

const Elsewhere = () => (
  <nav aria-label="More settings">
    <ul className={styles.elsewhere}>
      <li>
        <ButtonLink href="/settings/connections">Connections and API keys</ButtonLink>
      </li>
      <li>
        <ButtonLink href="/settings/webhooks">Webhooks</ButtonLink>
      </li>
      <li>
        <ButtonLink href="/settings/transfer">Import and export</ButtonLink>
      </li>
      <li>
        <ButtonLink href="/history">History</ButtonLink>
      </li>
      <li>
        <ButtonLink href="/activity">Activity</ButtonLink>
      </li>
      <li>
        <ButtonLink href="/docs" target="_blank">
          API reference
        </ButtonLink>
      </li>
    </ul>
  </nav>
);

export default function Settings() {
  const me = useMe();
  return (
    <Screen title="Settings" lead={me?.email}>
      {me ? (
        <div className={styles.column}>
          <Elsewhere />
          <Profile me={me} />
          <Appearance />
          <OnDevice />
          <Reminders />
          <Calendar />
          <UsageSection />
          <Sessions />
          <Password />
          <SecondFactor />
          <Passkeys />
          <Email me={me} />
          <Events />
          <DeleteAccount me={me} />
        </div>
      ) : (
        <Loading />
      )}
    </Screen>
  );
}
