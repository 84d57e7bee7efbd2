import type { TRPC_ERROR_CODE_NUMBER } from "@trpc/server";
import type { Permission } from "../access/permissions.js";
import type { ErrorCode, Issue } from "../platform/errors.js";
import type { HttpPort } from "../platform/http-port.js";
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
export type Access = "narrowed" | "public" | "awaitingSecondFactor" | "signedIn" | "auditor" | "admin";
export type Confirmed = "session" | "orPassword" | "givingAccess";
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
    status?: 200 | 201 | 202;
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
