import { mkdtemp, readFile, readdir, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { FolderInUseError, lockFolder } from "../../server/database/lock-file.ts";
import { startProgram } from "../support/programs.ts";

const source = new URL("../../server/database/lock-file.ts", import.meta.url).href;

let folder: string;
let lock: string;
let all: string;
beforeAll(async () => {
  all = await mkdtemp(join(tmpdir(), "zonewright-lock-"));
});
afterAll(async () => {
  await rm(all, { recursive: true, force: true });
});
beforeEach(async () => {
  folder = await mkdtemp(join(all, "lock-"));
  lock = join(folder, "lock");
});

const within = async (work: Promise<unknown>): Promise<number> => {
  const began = performance.now();
  await work.catch(() => undefined);
  return performance.now() - began;
};

/** A process of its own that takes the lock and keeps it. */
function holder() {
  const script = `import { lockFolder } from ${JSON.stringify(source)};
    await lockFolder(${JSON.stringify(folder)}); console.log("locked"); setInterval(() => 0, 1000);`;
  return startProgram(process.execPath, ["--input-type=module", "-e", script], /locked/);
}

/** A lock as a process of another container leaves it, whose pids mean nothing here. */
async function lockFromElsewhere(): Promise<void> {
  const owner = { pid: process.pid, host: "elsewhere", place: "other-boot pid:[1]", started: "1", token: "x" };
  await writeFile(lock, JSON.stringify(owner));
}

describe("the lock of a data folder", () => {
  test("is given free by whoever took it", async () => {
    const unlock = await lockFolder(folder);
    expect(await readdir(folder)).toEqual(["lock"]);
    unlock();
    expect(await readdir(folder)).toEqual([]);
  });

  test("keeps a second one of the same process out", async () => {
    const unlock = await lockFolder(folder);
    await expect(lockFolder(folder)).rejects.toThrow(FolderInUseError);
    unlock();
    (await lockFolder(folder))();
  });

  test("of a running process is respected at once, and taken over at once when that was killed", async () => {
    const other = await holder();
    const refused = lockFolder(folder);
    await expect(refused).rejects.toThrow(`${folder} is in use by process ${other.pid}; stop that one first`);
    await other.stop("SIGKILL");
    const taken = lockFolder(folder);
    // Whoever waits for a sign of life waits for five seconds.
    expect(await within(taken)).toBeLessThan(5_000);
    (await taken)();
  });

  test.runIf(process.platform === "linux")("of a process whose id another has now is taken over at once", async () => {
    const other = await holder();
    onTestFinished(async () => void (await other.stop("SIGKILL")));
    const owner = JSON.parse(await readFile(lock, "utf8")) as Record<string, unknown>;
    await writeFile(lock, JSON.stringify({ ...owner, started: "1" }));
    const taken = lockFolder(folder);
    // Whoever waits for a sign of life waits for five seconds.
    expect(await within(taken)).toBeLessThan(5_000);
    (await taken)();
  });

  test("of another container is respected while it is touched, although its pid means something else here", async () => {
    await lockFromElsewhere();
    const touching = setInterval(() => void utimes(lock, new Date(), new Date()), 1_000);
    onTestFinished(() => clearInterval(touching));
    await expect(lockFolder(folder)).rejects.toThrow(/in use by process \d+ on elsewhere/);
  });

  test.each([
    ["of another container", lockFromElsewhere],
    ["without a readable owner", () => writeFile(lock, "")],
    [
      "from the future",
      async () => {
        await lockFromElsewhere();
        await utimes(lock, new Date(Date.now() + 3_600_000), new Date(Date.now() + 3_600_000));
      },
    ],
  ])("%s that nobody touches for five seconds is taken over", async (_what, leave) => {
    await leave();
    const taken = lockFolder(folder);
    expect(await within(taken)).toBeGreaterThan(5_000);
    (await taken)();
    expect(await readdir(folder)).toEqual([]);
  });

  test("goes to one only of many that find it stale at the same moment", async () => {
    await lockFromElsewhere();
    const starters = await Promise.allSettled(Array.from({ length: 20 }, () => lockFolder(folder)));
    const unlocks = starters.flatMap((start) => (start.status === "fulfilled" ? [start.value] : []));
    const refusals = starters.flatMap((start) => (start.status === "rejected" ? [start.reason as unknown] : []));
    for (const unlock of unlocks) unlock();
    expect(unlocks).toHaveLength(1);
    for (const refusal of refusals) expect(refusal).toBeInstanceOf(FolderInUseError);
    expect(await readdir(folder)).toEqual([]);
  });

  test("goes to one process only of several that find it stale at the same moment", async () => {
    await lockFromElsewhere();
    const starts = await Promise.allSettled(Array.from({ length: 4 }, holder));
    const winners = starts.flatMap((start) => (start.status === "fulfilled" ? [start.value] : []));
    await Promise.all(winners.map((winner) => winner.stop("SIGKILL")));
    expect(winners).toHaveLength(1);
  });

  test("is touched every second by its holder, who is told when it is another's and then leaves it alone", async () => {
    const lost = vi.fn<() => void>();
    const unlock = await lockFolder(folder, lost);
    await utimes(lock, 1, 1);
    await vi.waitFor(async () => {
      const { mtimeMs } = await stat(lock);
      expect(mtimeMs).toBeGreaterThan(Date.now() - 2_000);
    }, 2_000);
    expect(lost).not.toHaveBeenCalled();
    await rename(lock, join(folder, "aside"));
    await lockFromElsewhere();
    await vi.waitFor(() => expect(lost).toHaveBeenCalledOnce(), 2_000);
    unlock();
    expect(await readFile(lock, "utf8")).toContain("elsewhere");
  });
});
