export interface Spelling {
    writtenName?: string | undefined;
    writtenValue?: string | undefined;
}
export interface RecordData extends Spelling {
    recordType: string;
    name: string;
    value: string;
    strings: string[] | null;
    ttl: number;
    priority: number | null;
    proxied: boolean;
}
export interface ReadRecord extends RecordData {
    serverManaged?: true;
}
export declare const commonTypes: readonly ["A", "AAAA", "CNAME", "NS", "MX", "TXT", "SRV", "CAA"];
export declare const editableTypes: readonly ["A", "AAAA", "CNAME", "NS", "MX", "TXT", "SRV", "CAA", "PTR", "TLSA", "SSHFP", "HTTPS", "SVCB", "DS", "NAPTR", "DHCID", "ALIAS"];
export type EditableType = (typeof editableTypes)[number];
export type TypeName = EditableType | (string & {});
export declare function isCommonType(type: string): boolean;
export declare function isEditableType(type: string): type is EditableType;
export declare function isApexNs({ recordType, name }: Pick<RecordData, "recordType" | "name">): boolean;
export declare function recordLabel(record: Pick<RecordData, "recordType" | "name" | "value"> & Spelling): string;
export declare function nameOf({ name, writtenName }: Pick<RecordData, "name" | "writtenName">): string;
export declare function valueOf({ value, writtenValue }: Pick<RecordData, "value" | "writtenValue">): string;
export declare function spellingOf({ writtenName, writtenValue }: Spelling): Spelling;
export declare function asWritten<Data extends Pick<RecordData, "name" | "value"> & Partial<Pick<RecordData, "recordType" | "strings">> & Spelling>(record: Data): Omit<Data, keyof Spelling>;
export declare function shortValue(value: string): string;
export declare function recordKey(record: Pick<RecordData, "recordType" | "name" | "value" | "strings">): string;
export declare function textKey(record: Pick<RecordData, "recordType" | "name" | "value">): string;
export declare function rrsetKey(record: Pick<RecordData, "recordType" | "name">): string;
export declare function ttlKey(record: Pick<RecordData, "recordType" | "name" | "value" | "proxied">): string;
export interface RecordNotes {
    comment: string | null;
    locked: boolean;
    ownerId: string | null;
    reviewAt: Date | null;
}
export declare const noNotes: RecordNotes;
export type RecordStatus = "active" | "disabled";
export interface StatedData extends RecordData {
    status: RecordStatus;
}
export interface LiveRecord extends StatedData, RecordNotes {
    id: string;
    version: number;
    createdAt: Date;
    updatedAt: Date;
    splitUnread?: true;
}
export interface RecordDraft extends StatedData, RecordNotes {
}
export type PlannedChange = {
    action: "create";
    id: string;
    before: null;
    after: RecordDraft;
} | {
    action: "update";
    id: string;
    before: LiveRecord;
    after: RecordDraft;
} | {
    action: "delete";
    id: string;
    before: LiveRecord;
    after: null;
};
export declare function isActive({ status }: Pick<StatedData, "status">): boolean;
export declare function servedChange(change: PlannedChange): PlannedChange | null;
export declare function servedChanges(changes: readonly PlannedChange[]): PlannedChange[];
export declare function sameData(a: RecordData, b: RecordData): boolean;
export declare function sameRecord(a: StatedData, b: StatedData): boolean;
export declare function sameSpelling(a: Spelling, b: Spelling): boolean;
export declare function sameAsWritten(a: StatedData, b: StatedData): boolean;
export declare function isUnchanged(before: LiveRecord, after: RecordDraft): boolean;
export declare function notesOf({ comment, locked, ownerId, reviewAt }: RecordNotes): RecordNotes;
export type Differences<Fields> = {
    [Field in keyof Fields]?: [Fields[Field], Fields[Field]];
};
export declare function changedNotes(before: RecordNotes, after: RecordNotes): Differences<RecordNotes>;
export declare function changedFields(before: StatedData, after: StatedData): Differences<StatedData>;
export declare function dataOf(record: RecordData): RecordData;
export declare function statedDataOf(record: StatedData): StatedData;
export declare function countActions(changes: readonly {
    action: "create" | "update" | "delete";
}[]): {
    creates: number;
    updates: number;
    deletes: number;
};
export declare const unreadSplit = "";
export declare function storedStrings(strings: readonly string[] | null): string | null;
export declare function isChallenge({ recordType, name }: {
    recordType: string;
    name: string;
}): boolean;
