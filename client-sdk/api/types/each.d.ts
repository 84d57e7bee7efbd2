import type { DnsRecord, Domain, RouterInputs, Snapshot } from "./app-router.js";
import type { Procedures } from "./procedures.js";
export interface EachOptions {
    signal?: AbortSignal | undefined;
    pageSize?: number | undefined;
}
export interface PagedProcedure<Input extends object, Page extends {
    total: number;
}> {
    query(input: Input, options?: {
        signal?: AbortSignal;
    }): Promise<Page>;
}
export type ItemOf<Page> = {
    [Key in keyof Page]: Page[Key] extends readonly (infer Item)[] ? Item : never;
}[keyof Page];
export type EachRecordInput = WithoutPaging<RouterInputs["records"]["list"]>;
export type EachDomainInput = WithoutPaging<Exclude<RouterInputs["domains"]["list"], void | undefined>>;
export type EachSnapshotInput = WithoutPaging<RouterInputs["snapshots"]["list"]>;
type WithoutPaging<Input> = Omit<Input, "page" | "limit">;
export interface ListHelpers {
    each<Input extends object, Page extends {
        total: number;
    }>(list: PagedProcedure<Input, Page>, input: WithoutPaging<Input>, options?: EachOptions): AsyncGenerator<ItemOf<Page>, void, undefined>;
    eachRecord(input: EachRecordInput, options?: EachOptions): AsyncGenerator<DnsRecord, void, undefined>;
    eachDomain(input?: EachDomainInput, options?: EachOptions): AsyncGenerator<Domain, void, undefined>;
    eachSnapshot(input: EachSnapshotInput, options?: EachOptions): AsyncGenerator<Snapshot, void, undefined>;
}
export declare function listHelpers({ records, domains, snapshots }: Procedures): ListHelpers;
export {};
