import { type AnswerHead } from "./answer-errors.js";
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;
export interface Answer extends AnswerHead {
    readonly ok: boolean;
    json(): Promise<unknown>;
}
export declare function timedRequest(seconds: number): typeof request;
export declare function request(fetch: Fetch, url: string, init: RequestInit): Promise<Answer>;
