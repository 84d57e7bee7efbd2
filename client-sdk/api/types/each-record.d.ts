import type { TRPCClient } from "@trpc/client";
import type { AppRouter, DnsRecord } from "./app-router.js";
export interface EachRecordInput {
    id: string;
    type?: string | undefined;
    search?: string | undefined;
}
export declare function eachRecord(client: TRPCClient<AppRouter>, input: EachRecordInput, options: {
    signal?: AbortSignal | undefined;
}): AsyncGenerator<DnsRecord, void, undefined>;
