import type { TRPC_ERROR_CODE_NUMBER } from "@trpc/server";
import type { ErrorCode, Issue } from "./errors.js";
export interface HttpPort {
    header(name: string): string | undefined;
    cookie(name: string): string | undefined;
    setHeader(name: string, value: string): void;
    setCookie(cookie: CookieToSet): void;
    noteProcedure(name: string): void;
    readonly ip: string | null;
    cut(): void;
}
export interface CookieToSet {
    name: string;
    value: string;
    path: string;
    maxAgeSeconds: number | undefined;
}
export interface Context {
    requestId: string;
    http: HttpPort;
}
interface ErrorData {
    code: ErrorCode;
    httpStatus: number;
    title: string;
    issues: Issue[] | null;
    requestId: string | null;
}
export interface ErrorShape {
    message: string;
    code: TRPC_ERROR_CODE_NUMBER;
    data: ErrorData;
}
export declare const permissions: readonly ["domains:read", "domains:write", "records:read", "records:write", "snapshots:read", "snapshots:write", "notifications:read", "notifications:write"];
export type Permission = (typeof permissions)[number];
export type Access = "public" | "halfSignedIn" | "signedIn" | "admin";
export type Confirmed = "session" | "orPassword";
export type Day = `${number}-${number}-${number}`;
export interface Deprecation {
    since: Day;
    sunset?: Day;
    instead: string;
}
export interface RouteMeta {
    openapi?: {
        method: "GET" | "POST" | "PUT" | "DELETE";
        path: `/${string}`;
        operationId: string;
        summary: string;
        description?: string;
        tags: string[];
        protect: boolean;
        errorResponses: number[];
    };
    example?: Readonly<Record<string, unknown>>;
    bodied?: boolean;
    confirmable?: boolean;
    status?: 200 | 201;
    textField?: string;
    largeBody?: boolean;
    costly?: boolean;
    errors?: number[];
    permission?: Permission | null;
    access?: Access;
    confirmed?: Confirmed | null;
    deprecated?: Deprecation;
}
export {};
