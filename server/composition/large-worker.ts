import { parentPort } from "node:worker_threads";
import { saySchemaErrors } from "../api/input-error.ts";
import { largeInputs } from "./large-inputs.ts";
import { checkLarge, type LargeBody } from "../http/bodies/check-large.ts";

/** The thread that large bodies are read and validated in, one after another. */
saySchemaErrors();
parentPort?.on("message", ({ id, large }: { id: number; large: LargeBody }) => {
  try {
    parentPort?.postMessage({ id, checked: checkLarge(large, largeInputs) }, []);
  } catch (error) {
    parentPort?.postMessage({ id, fault: error instanceof Error ? error.message : String(error) }, []);
  }
});
