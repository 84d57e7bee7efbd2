import { AppError } from "../platform/errors.ts";
import { ProviderError } from "./provider.ts";

/** Awaits a call to a provider and converts its failure. @throws AppError PROVIDER_ERROR */
export async function throughProvider<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ProviderError) throw new AppError("PROVIDER_ERROR", error.message, { cause: error });
    throw error;
  }
}
