import { z } from "zod";
import { line, timestamp } from "../../../api/schemas.ts";
import { typedPassword } from "../../users/schemas.ts";
import { answerCredential } from "../second-factors/schemas.ts";

export const confirmInput = z.strictObject({
  password: typedPassword.optional().meta({
    description: "The current password. Left out where a passkey confirms.",
    example: "correct horse battery staple",
  }),
  method: z
    .enum(["totp", "recovery", "passkey"], "This must be totp, recovery or passkey.")
    .optional()
    .meta({ description: "Which second factor, for accounts that have one.", example: "totp" }),
  code: line(64, 1)
    .optional()
    .meta({ description: "For `totp` six digits, for `recovery` a recovery code.", example: "123456" }),
  credential: answerCredential.optional(),
});

export const confirmation = z
  .object({ confirmedUntil: timestamp("Until when the session counts as confirmed: ten minutes from now.") })
  .meta({ id: "Confirmation", description: "The session is confirmed." });
