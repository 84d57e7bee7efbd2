import { useEffect, useRef, useState } from "react";
import { client, queries } from "../api.ts";
import { useAction } from "../ui/use-action.ts";
import { batches, begun, stateOf, withResults, type ImportState } from "./import-run.ts";

const pollMilliseconds = 400;

async function finish(): Promise<void> {
  const keys = ["domains", "domain-tags", "provider-zones"];
  await Promise.all(keys.map(async (key) => await queries.invalidateQueries({ queryKey: [key] })));
}

/**
 * Imports zones of a configuration and follows the progress. Every unmanaged zone: the service works in the background, and a reload of the
 * page finds the import again. Chosen zones: a few per call, until stopped.
 */
export function useImport(id: string) {
  const [state, setState] = useState<ImportState | null>(null);
  const [stopping, setStopping] = useState(false);
  const stop = useRef(false);
  const gone = useRef(false);

  const follow = async () => {
    for (;;) {
      const now = stateOf(await client.providerConfigs.importProgress.query({ id }));
      if (gone.current) return;
      setState(now);
      if (!now?.running) return;
      await new Promise((resolve) => setTimeout(resolve, pollMilliseconds));
    }
  };
  const run = useAction(async (names: readonly string[], all: boolean) => {
    stop.current = false;
    setStopping(false);
    let now = begun(names.length);
    setState(now);
    try {
      if (all) {
        await client.providerConfigs.import.mutate({ id, all: true });
        await follow();
        return;
      }
      for (const zones of batches(names)) {
        // oxlint-disable-next-line typescript/no-unnecessary-condition -- set by the button meanwhile.
        if (stop.current) break;
        now = withResults(now, (await client.providerConfigs.import.mutate({ id, zones })).results);
        setState(now);
      }
    } finally {
      setState((last) => last && { ...last, running: false });
      await finish();
    }
  });
  const resume = useAction(async () => {
    const now = stateOf(await client.providerConfigs.importProgress.query({ id }));
    if (!now?.running || gone.current) return;
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
    error: run.error,
    stopping,
    /** @param all whether the names are every unmanaged zone */
    start: (names: readonly string[], all: boolean) => void run.run(names, all),
    stop: () => {
      stop.current = true;
      setStopping(true);
    },
  };
}
