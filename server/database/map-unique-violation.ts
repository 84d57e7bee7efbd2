import { UniqueConstraintViolationException } from "@mikro-orm/core";
import type { AppError } from "../platform/errors.ts";

/** Awaits a write that may violate a unique index. @param taken returns the error to throw in that case; the cause names the index */
export async function mapUniqueViolation<T>(write: Promise<T>, taken: (cause: Error) => AppError): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof UniqueConstraintViolationException) throw taken(error);
    throw error;
  }
}
