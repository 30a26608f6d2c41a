import { expect, test } from "vitest";
import { choosePorts } from "../../scripts/cli/copy.ts";

test("a copy for which one port is configured gets another one for the second address", async () => {
  expect(await choosePorts({ API_PORT: "8001" })).toEqual({
    API_PORT: "8001",
    MCP_PORT: expect.not.stringMatching(/^8001$/),
  });
  expect(await choosePorts({ MCP_PORT: "8000" })).toEqual({
    API_PORT: expect.not.stringMatching(/^8000$/),
    MCP_PORT: "8000",
  });
  expect(await choosePorts({ API_PORT: "1", MCP_PORT: "2" })).toEqual({ API_PORT: "1", MCP_PORT: "2" });
});
