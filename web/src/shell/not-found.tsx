import { ButtonLink } from "../kit/button.tsx";
import { Screen } from "../kit/screen.tsx";

export default function NotFound() {
  return (
    <Screen title="Page not found">
      <p>The address may be mistyped, or the link may be out of date or incomplete.</p>
      <p>
        <ButtonLink href="/">Go to Today</ButtonLink>
      </p>
    </Screen>
  );
}
