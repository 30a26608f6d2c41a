import { ButtonLink } from "../parts/button.tsx";
import { Screen } from "./screen.tsx";

export default function NotFound() {
  return (
    <Screen title="There is no such page">
      <p>
        <ButtonLink href="/">Go to Today</ButtonLink>
      </p>
    </Screen>
  );
}
