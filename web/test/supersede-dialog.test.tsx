import { screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { Memory } from "../../src/contract/memory.ts";
import { SupersedeDialog } from "../src/features/records/supersede-dialog.tsx";
import { show } from "./kit/show.tsx";
import { answer, connect, record, written } from "./kit/wire.ts";

connect();

test("a replacement that the service refused can be sent again as it is", async () => {
  const old = record({ id: 7, topic: "Slides", content: "By Friday" });
  const refusal = () => ({ schema: Memory, body: { detail: "Your storage is full" }, status: 403 });
  answer({ "POST /api/memories/7/supersede": refusal });
  const person = show(<SupersedeDialog memory={old} onClose={() => {}} />);
  const replace = await screen.findByRole("button", { name: "Replace" });
  for (const times of [1, 2]) {
    await person.click(replace);
    await waitFor(() => expect(written()).toHaveLength(times));
    await screen.findByText("Your storage is full");
  }
});
