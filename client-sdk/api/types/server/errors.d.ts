export interface Issue {
    path: (string | number)[];
    message: string;
}
export declare const errorCodes: {
    readonly BAD_REQUEST: {
        readonly status: 400;
        readonly title: "Bad request";
    };
    readonly UNAUTHORIZED: {
        readonly status: 401;
        readonly title: "Sign-in required";
    };
    readonly FORBIDDEN: {
        readonly status: 403;
        readonly title: "Not allowed";
    };
    readonly NOT_FOUND: {
        readonly status: 404;
        readonly title: "Not found";
    };
    readonly CONFLICT: {
        readonly status: 409;
        readonly title: "Conflict";
    };
    readonly CONFIRMATION_REQUIRED: {
        readonly status: 409;
        readonly title: "Confirmation required";
    };
    readonly PRECONDITION_FAILED: {
        readonly status: 412;
        readonly title: "Precondition failed";
    };
    readonly PAYLOAD_TOO_LARGE: {
        readonly status: 413;
        readonly title: "Body too large";
    };
    readonly UNSUPPORTED_MEDIA_TYPE: {
        readonly status: 415;
        readonly title: "Unsupported media type";
    };
    readonly TOO_MANY_REQUESTS: {
        readonly status: 429;
        readonly title: "Too many requests";
    };
    readonly INTERNAL_SERVER_ERROR: {
        readonly status: 500;
        readonly title: "Internal error";
    };
    readonly PROVIDER_ERROR: {
        readonly status: 502;
        readonly title: "DNS provider error";
    };
    readonly UNAVAILABLE: {
        readonly status: 503;
        readonly title: "Unavailable";
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
export declare function badField(path: (string | number)[], message: string): AppError;
export declare function notFound(what: string): AppError;
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
