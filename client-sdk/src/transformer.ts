import type { TRPCCombinedDataTransformer } from "@trpc/server";
import { deserialize, serialize } from "superjson";

/**
 * superjson as the server takes it: a value that occurs twice in an input is sent twice, without the note that both are one. The server refuses
 * such notes, since what they cost to resolve is up to whoever sends them.
 */
export const transformer: TRPCCombinedDataTransformer = {
  input: {
    serialize(input: unknown) {
      const { json, meta } = serialize(input);
      return meta?.values === undefined ? { json } : { json, meta: { values: meta.values, v: meta.v } };
    },
    deserialize,
  },
  output: { serialize, deserialize },
};
