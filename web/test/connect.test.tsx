import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { Connect } from "../src/features/connections/connect.tsx";
import { show } from "./kit/show.tsx";

test.each([
  ["http://localhost:8001/mcp", true],
  ["http://nas:8001/mcp", true],
  ["http://172.20.0.2:8001/mcp", true],
  ["http://[fd00::1]:8001/mcp", true],
  ["https://10.example.com/mcp", false],
  ["https://[2606:4700::1111]/mcp", false],
])(
  "at %s, the instructions for a client on its vendor's servers say that they can't reach it: %s",
  (url, isWarned) => {
    show(<Connect url={url} connections={[]} />);
    expect(screen.queryByText(/servers, which can’t reach/) !== null).toBe(isWarned);
  },
);
