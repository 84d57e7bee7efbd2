import { UniqueConstraintViolationException } from "@mikro-orm/core";
import type { AppError } from "../platform/errors.ts";

/** Waits for a write that a unique index may refuse. @param taken what to throw then; the cause says which index it was */
export async function mapUniqueViolation<T>(write: Promise<T>, taken: (cause: Error) => AppError): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof UniqueConstraintViolationException) throw taken(error);
    throw error;
  }
}
