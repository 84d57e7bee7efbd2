import { AppError } from "../platform/errors.ts";

/** Thrown when a domain was moved while a change of it waited. The same change may succeed. */
export class MovedAway extends AppError {
  constructor() {
    super("CONFLICT", "The domain was moved to another provider during this change. Try again.");
  }
}
