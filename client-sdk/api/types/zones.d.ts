import type { DnsRecord, Domain, RouterInputs, ZoneOfName } from "./app-router.js";
import type { Procedures } from "./procedures.js";
export type EnsureRecordInput = RouterInputs["records"]["create"] & {
    value: string;
};
export interface EnsuredRecord {
    outcome: "unchanged" | "created" | "updated";
    record: DnsRecord;
}
export interface DeleteRecordInput {
    id: string;
    recordType: DnsRecord["recordType"];
    name: string;
    value: string;
    strings?: string[] | null | undefined;
}
export interface ZoneHelpers {
    domainNamed(name: string, options?: {
        signal?: AbortSignal;
    }): Promise<Domain | null>;
    zoneOf(hostName: string, options?: {
        signal?: AbortSignal;
    }): Promise<ZoneOfName | null>;
    ensureRecord(input: EnsureRecordInput, options?: {
        signal?: AbortSignal;
    }): Promise<EnsuredRecord>;
    deleteRecord(input: DeleteRecordInput, options?: {
        signal?: AbortSignal;
    }): Promise<boolean>;
}
export declare function zoneHelpers({ domains, records }: Procedures): ZoneHelpers;
