import { ButtonLink } from "../kit/button.tsx";
import { Screen } from "../kit/screen.tsx";

export default function NotFound() {
  return (
    <Screen title="There is no such page">
      <p>The link is old, or was not copied as a whole.</p>
      <p>
        <ButtonLink href="/">Go to Today</ButtonLink>
      </p>
    </Screen>
  );
}
