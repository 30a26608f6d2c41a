import { ButtonLink } from "../kit/button.tsx";
import { Screen } from "../kit/screen.tsx";

export default function NotFound() {
  return (
    <Screen title="There is no such page">
      <p>The address is mistyped, or the link is old or incomplete.</p>
      <p>
        <ButtonLink href="/">Go to Today</ButtonLink>
      </p>
    </Screen>
  );
}
