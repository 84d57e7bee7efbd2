import { mkdtemp, readFile, readdir, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test as base, vi } from "vitest";
import { FolderInUseError, lockFolder } from "../../server/database/lock-file.ts";
import { patience } from "../support/patience.ts";
import { startProgram } from "../support/programs.ts";

const source = new URL("../../server/database/lock-file.ts", import.meta.url).href;

let all: string;
beforeAll(async () => {
  all = await mkdtemp(join(tmpdir(), "zonewright-lock-"));
});
afterAll(async () => {
  await rm(all, { recursive: true, force: true });
});

/** A separate data directory for each test, and the path of its lock. */
const test = base.extend<{ place: { folder: string; lock: string } }>({
  // oxlint-disable-next-line no-empty-pattern -- the runner reads a fixture's needs from the pattern
  place: async ({}, use) => {
    const folder = await mkdtemp(join(all, "lock-"));
    await use({ folder, lock: join(folder, "lock") });
  },
});

/** Returns whether work ended without waiting for any time: waiting for a sign of life would take five seconds. */
async function isImmediate(work: Promise<unknown>): Promise<boolean> {
  const next = new Promise<false>((resolve) => setImmediate(() => resolve(false)));
  return await Promise.race([work.then(() => true as const), next]);
}

/** A script that takes and holds the lock. */
function holding(folder: string): string {
  return `import { lockFolder } from ${JSON.stringify(source)};
    await lockFolder(${JSON.stringify(folder)}); console.log("locked"); setInterval(() => 0, 1000);`;
}

/** Starts a process that takes and holds the lock. */
function holder(folder: string) {
  return startProgram(process.execPath, ["--input-type=module", "-e", holding(folder)], /^locked$/m);
}

/** Writes a lock as a process of another container leaves it, whose PIDs mean nothing here. */
async function lockFromElsewhere(lock: string): Promise<void> {
  const owner = { pid: process.pid, host: "elsewhere", place: "other-boot pid:[1]", started: "1", token: "x" };
  await writeFile(lock, JSON.stringify(owner));
}

/** Run concurrently, because most of them wait until a lock is stale. */
describe.concurrent("the lock of a data directory", () => {
  test("the data directory's lock is released by its holder", async ({ place: { folder } }) => {
    const unlock = await lockFolder(folder);
    expect(await readdir(folder)).toEqual(["lock"]);
    unlock();
    expect(await readdir(folder)).toEqual([]);
  });

  test("the data directory's lock excludes a second holder in the same process", async ({ place: { folder } }) => {
    const unlock = await lockFolder(folder);
    await expect(lockFolder(folder)).rejects.toThrow(FolderInUseError);
    unlock();
    (await lockFolder(folder))();
  });

  test("a running process's lock is respected, and taken over as soon as the process is killed", async ({
    place: { folder },
  }) => {
    const other = await holder(folder);
    const refused = lockFolder(folder);
    await expect(refused).rejects.toThrow(`${folder} is in use by process ${other.pid}; stop it first`);
    await other.stop("SIGKILL");
    const taken = lockFolder(folder);
    expect(await isImmediate(taken)).toBe(true);
    (await taken)();
  });

  test.runIf(process.platform === "linux")(
    "the lock of a killed process is taken over immediately, although its parent has not collected it",
    async ({ place: { folder }, onTestFinished }) => {
      // `sleep` inherits the holder from the shell, and never waits for it.
      const script = `${process.execPath} --input-type=module -e "$HOLD" & exec sleep 3600`;
      const parent = await startProgram("sh", ["-c", script], /^locked$/m, {
        env: { ...process.env, HOLD: holding(folder) },
      });
      onTestFinished(async () => void (await parent.stop("SIGKILL")));
      const { pid } = JSON.parse(await readFile(join(folder, "lock"), "utf8")) as { pid: number };
      process.kill(pid, "SIGKILL");
      const isZombie = async () => / Z /.test(await readFile(`/proc/${pid}/stat`, "utf8"));
      await vi.waitFor(async () => expect(await isZombie()).toBe(true), patience);
      const taken = lockFolder(folder);
      expect(await isImmediate(taken)).toBe(true);
      (await taken)();
    },
  );

  test("a start waits for a process that is being killed, and takes its lock over", async ({ place: { folder } }) => {
    const other = await holder(folder);
    process.kill(other.pid, "SIGSTOP");
    const taken = lockFolder(folder);
    process.kill(other.pid, "SIGKILL");
    const unlock = await taken;
    expect(await readdir(folder)).toEqual(["lock"]);
    unlock();
    await other.stop("SIGKILL");
  });

  test("the lock of a process that is suspended is respected", async ({ place: { folder }, onTestFinished }) => {
    const other = await holder(folder);
    onTestFinished(async () => void (await other.stop("SIGKILL")));
    process.kill(other.pid, "SIGSTOP");
    await expect(lockFolder(folder)).rejects.toThrow(`${folder} is in use by process ${other.pid}; stop it first`);
  });

  test.runIf(process.platform === "linux")(
    "a lock whose PID now belongs to another process is taken over immediately",
    async ({ place: { folder, lock }, onTestFinished }) => {
      const other = await holder(folder);
      onTestFinished(async () => void (await other.stop("SIGKILL")));
      const owner = JSON.parse(await readFile(lock, "utf8")) as Record<string, unknown>;
      await writeFile(lock, JSON.stringify({ ...owner, started: "1" }));
      const taken = lockFolder(folder);
      expect(await isImmediate(taken)).toBe(true);
      (await taken)();
    },
  );

  test("another container's lock is respected while it is touched, although its PID means something else here", async ({
    place: { folder, lock },
    onTestFinished,
  }) => {
    await lockFromElsewhere(lock);
    const touching = setInterval(() => void utimes(lock, new Date(), new Date()), 1_000);
    onTestFinished(() => clearInterval(touching));
    await expect(lockFolder(folder)).rejects.toThrow(/in use by process \d+ on elsewhere/);
  });

  test.for<[string, (lock: string) => Promise<void>]>([
    ["of another container", (lock: string) => lockFromElsewhere(lock)],
    ["without a readable owner", (lock: string) => writeFile(lock, "")],
    [
      "from the future",
      async (lock: string) => {
        await lockFromElsewhere(lock);
        await utimes(lock, new Date(Date.now() + 3_600_000), new Date(Date.now() + 3_600_000));
      },
    ],
  ])(
    "a lock %s is taken over if it is not touched for five seconds",
    async ([_what, leave], { place: { folder, lock } }) => {
      await leave(lock);
      const began = performance.now();
      const unlock = await lockFolder(folder);
      expect(performance.now() - began).toBeGreaterThan(5_000);
      unlock();
      expect(await readdir(folder)).toEqual([]);
    },
  );

  test("of many holders in one process that find the lock stale, exactly one takes it over", async ({
    place: { folder, lock },
  }) => {
    await lockFromElsewhere(lock);
    const starters = await Promise.allSettled(Array.from({ length: 20 }, () => lockFolder(folder)));
    const unlocks = starters.flatMap((start) => (start.status === "fulfilled" ? [start.value] : []));
    const refusals = starters.flatMap((start) => (start.status === "rejected" ? [start.reason as unknown] : []));
    for (const unlock of unlocks) unlock();
    expect(unlocks).toHaveLength(1);
    for (const refusal of refusals) expect(refusal).toBeInstanceOf(FolderInUseError);
    expect(await readdir(folder)).toEqual([]);
  });

  test("of several processes that find the lock stale, exactly one takes it over", async ({
    place: { folder, lock },
  }) => {
    await lockFromElsewhere(lock);
    const starts = await Promise.allSettled(Array.from({ length: 4 }, () => holder(folder)));
    const winners = starts.flatMap((start) => (start.status === "fulfilled" ? [start.value] : []));
    await Promise.all(winners.map((winner) => winner.stop("SIGKILL")));
    expect(winners).toHaveLength(1);
  });

  test("the holder touches the lock every second, and is notified and leaves it alone if another process takes it", async ({
    place: { folder, lock },
  }) => {
    const lost = vi.fn<() => void>();
    const unlock = await lockFolder(folder, lost);
    await utimes(lock, 1, 1);
    await vi.waitFor(async () => {
      const { mtimeMs } = await stat(lock);
      expect(mtimeMs).toBeGreaterThan(Date.now() - 2_000);
    }, patience);
    expect(lost).not.toHaveBeenCalled();
    await rename(lock, join(folder, "aside"));
    await lockFromElsewhere(lock);
    await vi.waitFor(() => expect(lost).toHaveBeenCalledOnce(), patience);
    unlock();
    expect(await readFile(lock, "utf8")).toContain("elsewhere");
  });
});
