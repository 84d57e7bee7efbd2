import { parentPort } from "node:worker_threads";
import type { ZodType } from "zod";
import { AppError } from "../../../server/platform/errors.ts";
import { readJsonObject, mostValues } from "../../../server/api/json-object.ts";
import { inputError, setSchemaMessages } from "../../../server/api/input-error.ts";
import { appRouter } from "../../../client-sdk/app-router.ts";
import { deserializeInput } from "../../../server/api/trpc-input.ts";
import { ExecutedBlocks } from "../../support/executed-blocks.ts";
import type { Validated } from "./thread.ts";

setSchemaMessages();

const procedures = Object.values(
  appRouter._def.procedures as unknown as Record<string, { _def: { inputs: ZodType[] } }>,
).flatMap(({ _def }) => _def.inputs[0] ?? []);

/** @returns the longest refusal */
function validate(text: string): number {
  let longest = 0;
  const noting = (work: () => void) => {
    try {
      work();
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const { message, issues } = error;
      longest = Math.max(longest, JSON.stringify({ message, issues }).length);
    }
  };
  noting(() => {
    const input = deserializeInput(readJsonObject(Buffer.from(text), mostValues.ordinary));
    for (const schema of procedures) {
      noting(() => {
        const { error } = schema.safeParse(input);
        if (error) throw inputError(error);
      });
    }
  });
  return longest;
}

const executed = new ExecutedBlocks();
await executed.start();
/** Counts the blocks since the previous body; only the response has run in between. */
async function measure(text: string): Promise<void> {
  const validated: Validated = { longest: validate(text), blocks: await executed.count() };
  parentPort?.postMessage(validated, []);
}

parentPort?.on("message", (text: string) => void measure(text));
parentPort?.postMessage(procedures.length, []);
