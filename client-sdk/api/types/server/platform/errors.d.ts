export interface Issue {
    path: (string | number)[];
    message: string;
}
export declare const errorCodes: {
    BAD_REQUEST: {
        status: number;
        title: string;
        when: string;
        advice: string;
    };
    UNAUTHORIZED: {
        status: number;
        title: string;
        when: string;
        advice: string;
    };
    FORBIDDEN: {
        status: number;
        title: string;
        when: string;
        advice: string;
    };
    REAUTHENTICATION_REQUIRED: {
        status: number;
        title: string;
        when: string;
        advice: string;
    };
    NOT_FOUND: {
        status: number;
        title: string;
        when: string;
        advice: string;
    };
    METHOD_NOT_ALLOWED: {
        status: number;
        title: string;
        when: string;
        advice: string;
    };
    REQUEST_TIMEOUT: {
        status: number;
        title: string;
        when: string;
        advice: string;
    };
    CONFLICT: {
        status: number;
        title: string;
        when: string;
        advice: string;
    };
    CONFIRMATION_REQUIRED: {
        status: number;
        title: string;
        when: string;
        advice: string;
    };
    REVIEW_REQUIRED: {
        status: number;
        title: string;
        when: string;
        advice: string;
    };
    PRECONDITION_FAILED: {
        status: number;
        title: string;
        when: string;
        advice: string;
    };
    HISTORY_GONE: {
        status: number;
        title: string;
        when: string;
        advice: string;
    };
    PAYLOAD_TOO_LARGE: {
        status: number;
        title: string;
        when: string;
        advice: string;
    };
    UNSUPPORTED_MEDIA_TYPE: {
        status: number;
        title: string;
        when: string;
        advice: string;
    };
    TOO_MANY_REQUESTS: {
        status: number;
        title: string;
        when: string;
        advice: string;
    };
    INTERNAL_SERVER_ERROR: {
        status: number;
        title: string;
        when: string;
        advice: string;
    };
    PROVIDER_ERROR: {
        status: number;
        title: string;
        when: string;
        advice: string;
    };
    UNAVAILABLE: {
        status: number;
        title: string;
        when: string;
        advice: string;
    };
};
export type ErrorCode = keyof typeof errorCodes;
export interface LogNote {
    text: string;
    [field: string]: string | null;
}
export declare class AppError extends Error {
    readonly code: ErrorCode;
    readonly issues: Issue[] | null;
    readonly retryAfterSeconds: number | null;
    readonly note: LogNote | null;
    constructor(code: ErrorCode, message: string, options?: {
        issues?: Issue[];
        retryAfterSeconds?: number;
        note?: LogNote;
        cause?: unknown;
    });
}
export declare function shownPath(path: Issue["path"]): Issue["path"];
export declare function badField(path: (string | number)[], message: string): AppError;
export declare function notFound(what: string): AppError;
export declare function stopping(): AppError;
export declare function nameTaken(what: string, name: string, cause: Error): AppError;
export interface Problem {
    type: string;
    title: string;
    status: number;
    detail: string;
    code: ErrorCode;
    message: string;
    issues: Issue[] | null;
    requestId: string;
}
export declare function toProblem(error: AppError, requestId: string): Problem;
