import { parentPort } from "node:worker_threads";
import { setSchemaMessages } from "../api/input-error.ts";
import { largeInputs } from "./large-inputs.ts";
import { checkLarge, type LargeBody } from "../api/http/bodies/check-large.ts";

/** The worker thread that parses and validates large bodies, one at a time. */
setSchemaMessages();
parentPort?.on("message", ({ id, large }: { id: number; large: LargeBody }) => {
  try {
    parentPort?.postMessage({ id, checked: checkLarge(large, largeInputs) }, []);
  } catch (error) {
    parentPort?.postMessage({ id, fault: error instanceof Error ? error.message : String(error) }, []);
  }
});
