import type { RouterInputs, ServedRecords } from "./app-router.js";
import type { Procedures } from "./procedures.js";
export type ServedInput = RouterInputs["delegation"]["checkServed"];
export interface WaitUntilServedOptions {
    timeoutSeconds?: number | undefined;
    signal?: AbortSignal | undefined;
    onWaiting?: ((answer: ServedRecords) => void) | undefined;
}
export interface ServingHelpers {
    waitUntilServed(input: ServedInput, options?: WaitUntilServedOptions): Promise<ServedRecords>;
}
export declare function servingHelpers({ delegation }: Procedures): ServingHelpers;
