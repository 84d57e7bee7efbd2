import { z } from "zod";
import { shownId } from "../../api/schemas.ts";

export const startedJob = z
  .object({ jobId: shownId("The id of the job that carries it out. See `GET /api/records/replace/{jobId}`.") })
  .meta({ id: "StartedJob", description: "A job that was started." });
