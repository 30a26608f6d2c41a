import { QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import userEvent, { type UserEvent } from "@testing-library/user-event";
import type { ReactNode } from "react";
import { Toasts } from "../../src/kit/toasts.tsx";
import { queries } from "../../src/state/queries.ts";

/** Renders a part of the app with its toasts. Returns a user with a keyboard and a mouse. */
export function show(part: ReactNode): UserEvent {
  render(
    <QueryClientProvider client={queries}>
      <main id="main">{part}</main>
      <Toasts />
    </QueryClientProvider>,
  );
  return userEvent.setup();
}
