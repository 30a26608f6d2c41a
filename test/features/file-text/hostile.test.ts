import { expect, test } from "vitest";
import { fileText } from "../../../src/features/file-text/read/file-text.ts";
import { LIMITS } from "../../../src/features/file-text/read/meter.ts";
import { HOSTILE } from "../../kit/hostile-files.ts";

test("whatever a file is, reading its text ends, within the limits and with a state", {
  timeout: 120_000,
}, () => {
  expect(HOSTILE.length).toBeGreaterThan(50);
  for (const { name, type, bytes, state, says } of HOSTILE) {
    const steps = fileText(bytes(), { type, name });
    let step = steps.next();
    // Between two pauses there is a bounded amount of work, so there are many pauses where there is much to do.
    while (!step.done) step = steps.next();
    const { texts, note, ...read } = step.value;
    expect(`${name}: ${read.state}`).toBe(`${name}: ${state}`);
    expect(note === null, `${name}: ${note}`).toBe(state === "done" || state === "none");
    expect(texts.length).toBeLessThanOrEqual(LIMITS.pages);
    expect(texts.join("").length).toBeLessThanOrEqual(LIMITS.characters);
    if (says) expect(texts.join("\n"), name).toContain(says);
  }
});
