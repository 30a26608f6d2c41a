import { spawnSync } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";

// The image for a copy at home, where there is a container runtime.

const docker = (...args: string[]) => spawnSync("docker", args, { encoding: "utf8" });

const health = (container: string) =>
  docker("inspect", "--format", "{{.State.Health.Status}}", container).stdout.trim();

test.runIf(docker("info").status === 0)(
  "the image is built, starts, and is healthy",
  async () => {
    const built = docker("build", "--quiet", "--tag", "commonplace-check", ".");
    expect(built.status, built.stderr).toBe(0);
    const started = docker("run", "--detach", "--init", "--health-interval=2s", "commonplace-check");
    expect(started.status, started.stderr).toBe(0);
    const container = started.stdout.trim();
    onTestFinished(() => void docker("rm", "--force", "--volumes", container));
    await expect
      .poll(() => health(container), { message: docker("logs", container).stderr, timeout: 120_000 })
      .toBe("healthy");
  },
  900_000,
);
