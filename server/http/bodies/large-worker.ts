import { parentPort } from "node:worker_threads";
import { saySchemaErrors } from "../../input-error.ts";
import { checkLarge, type LargeBody } from "./check-large.ts";

/** The thread that large bodies are read and validated in, one after another. */
saySchemaErrors();
parentPort?.on("message", ({ id, large }: { id: number; large: LargeBody }) => {
  try {
    parentPort?.postMessage({ id, checked: checkLarge(large) }, []);
  } catch (error) {
    parentPort?.postMessage({ id, fault: error instanceof Error ? error.message : String(error) }, []);
  }
});
