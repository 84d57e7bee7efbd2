import { z } from "zod";
import { line, timestamp } from "../../../api/schemas.ts";
import { typedPassword } from "../../users/schemas.ts";
import { answerCredential } from "../second-factors/schemas.ts";

export const confirmInput = z.strictObject({
  password: typedPassword.optional().meta({
    description: "Your current password. Omit it when you confirm with a passkey.",
    example: "correct horse battery staple",
  }),
  method: z
    .enum(["totp", "recovery", "passkey"], "This must be totp, recovery or passkey.")
    .optional()
    .meta({ description: "The second factor. Required if the account has one.", example: "totp" }),
  code: line(64, 1)
    .optional()
    .meta({ description: "A six-digit code for `totp`, or a recovery code for `recovery`.", example: "123456" }),
  credential: answerCredential.optional(),
});

export const confirmation = z
  .object({ confirmedUntil: timestamp("When the confirmation expires: ten minutes from now.") })
  .meta({ id: "Confirmation", description: "A confirmed session." });
