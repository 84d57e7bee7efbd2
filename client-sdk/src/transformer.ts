import type { TRPCCombinedDataTransformer } from "@trpc/server";
import { deserialize, serialize } from "superjson";

/**
 * superjson as the server accepts it: a value that occurs twice in an input is sent twice, without a reference between them. The server refuses
 * references, because the sender decides what they cost to resolve.
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
