import { useEffect, useRef, useState } from "react";
import { isZonewrightError } from "@zonewright/client";
import { client, healing, isTemporary, queries } from "../api.ts";
import { useAction } from "../ui/use-action.ts";
import {
  batches,
  begun,
  isOf,
  stateOf,
  withEnded,
  withoutAnswer,
  withResults,
  type ImportState,
} from "./import-run.ts";

const pollMilliseconds = 400;

const pause = async (milliseconds: number) => await new Promise((resolve) => setTimeout(resolve, milliseconds));

async function finish(): Promise<void> {
  const keys = ["domains", "domain-tags", "provider-zones"];
  await Promise.all(keys.map(async (key) => await queries.invalidateQueries({ queryKey: [key] })));
}

/** Whether the service may have imported what was asked, or do so still. What it refuses itself, such as a provider's failure, is an answer. */
function isAnswerLost(error: unknown): boolean {
  if (!isZonewrightError(error)) return false;
  return error.status === null || error.code === "UNEXPECTED_ANSWER" || error.code === "UNAVAILABLE";
}

/**
 * Imports zones of a configuration and follows the progress. Every unmanaged zone: the service works in the background, and a reload of the
 * page finds the import again. Chosen zones: a few per call, until stopped.
 */
export function useImport(id: string) {
  const [state, setState] = useState<ImportState | null>(null);
  const [stopping, setStopping] = useState(false);
  /** Why the progress cannot be read now. */
  const [trouble, setTrouble] = useState<unknown>(null);
  const stop = useRef(false);
  const gone = useRef(false);

  /** Reads something, however long it takes to hear: the service goes on meanwhile. */
  const hear = async <Answer>(read: () => Promise<Answer>): Promise<Answer> => {
    for (;;) {
      try {
        const answer = await read();
        setTrouble(null);
        return answer;
      } catch (error) {
        const wait = healing(error);
        if (wait === false || gone.current || stop.current) throw error;
        setTrouble(error);
        await pause(wait);
      }
    }
  };
  /** How the import stands. */
  const look = async () => await hear(async () => stateOf(await client.providerConfigs.importProgress.query({ id })));
  const follow = async () => {
    for (;;) {
      const now = await look();
      if (gone.current) return;
      setState(now);
      if (!now?.running) return;
      await pause(pollMilliseconds);
    }
  };
  const importAll = async () => {
    const earlier = await look();
    try {
      await client.providerConfigs.import.mutate({ id, all: true });
    } catch (error) {
      // It may have begun, and even ended, although its answer was lost.
      if (!isTemporary(error)) throw error;
      const now = await look();
      if (now === null || now.startedAt === (earlier?.startedAt ?? null)) throw error;
    }
    await follow();
  };
  /** Finds out about zones whose answer was lost, once no import runs, or none is waited for. @param earlier when the last import before these began */
  const recover = async (now: ImportState, zones: readonly string[], earlier: number | null) => {
    try {
      let last = await look();
      while (last?.running && !stop.current) {
        await pause(pollMilliseconds);
        last = await look();
      }
      if (last && !last.running && last.startedAt !== earlier && isOf(last, zones)) return withEnded(now, last);
      const listed = await hear(async () => await client.providerConfigs.zones.query({ id }));
      const managed = listed.zones.filter((zone) => zone.managed).map(({ name }) => name);
      return withoutAnswer(now, zones, new Set(managed));
    } catch (error) {
      setState(withoutAnswer(now, zones, new Set()));
      throw error;
    }
  };
  const run = useAction(async (names: readonly string[], all: boolean) => {
    stop.current = false;
    setStopping(false);
    setTrouble(null);
    let now = begun(names.length);
    setState(now);
    try {
      if (all) {
        await importAll().catch((error: unknown) => {
          setState(null);
          throw error;
        });
        return;
      }
      const earlier = (await look())?.startedAt ?? null;
      for (const zones of batches(names)) {
        // oxlint-disable-next-line typescript/no-unnecessary-condition -- set by the button meanwhile.
        if (stop.current) break;
        try {
          now = withResults(now, (await client.providerConfigs.import.mutate({ id, zones })).results);
        } catch (error) {
          if (!isAnswerLost(error)) throw error;
          now = await recover(now, zones, earlier);
        }
        setState(now);
      }
    } finally {
      setState((last) => last && { ...last, running: false });
      // Not waited for: the button is there again, and a press must count.
      void finish();
    }
  });
  const resume = useAction(async () => {
    if (!(await look())?.running || gone.current) return;
    await follow();
    await finish();
  });
  const { run: find } = resume;
  useEffect(() => {
    gone.current = false;
    void find();
    return () => {
      gone.current = true;
    };
  }, [find]);

  return {
    state,
    error: run.error ?? trouble,
    stopping,
    /** @param all whether the names are every unmanaged zone */
    start: (names: readonly string[], all: boolean) => void run.run(names, all),
    stop: () => {
      stop.current = true;
      setStopping(true);
    },
  };
}
