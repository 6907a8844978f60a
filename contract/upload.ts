import { createRoute, z } from "@hono/zod-openapi"
import { path } from "./bridge.ts"
import { ContentType, FileId, fileName, integer } from "./field-types.ts"
import { body, refusals, reply } from "./route-parts.ts"

/** Contract, "Uploads": in bytes. The network takes no larger document. */
export const maxUploadBytes = 100_000_000

const Upload = z
  .object({
    file: FileId,
    upload: z
      .object({ url: z.string(), fields: z.record(z.string(), z.string()) })
      .openapi({ description: "Where the form goes, and its fields before the file." }),
    expires_at: integer("Until when the form may be sent: Unix seconds."),
  })
  .openapi("Upload")

/**
 * The file goes into a form, not into the call's body: on AWS Lambda takes 6 MB, so the form is S3's own. It
 * is a POST, because only a POST's policy bounds the size before the bytes are there, and a browser can send
 * it without a script. The form has no key in it: a program may give it to its own customer's browser.
 */
export const createUpload = createRoute({
  method: "post",
  path: "/api/instances/{customer_ref}/files" as const,
  summary: "Upload a file, to send it",
  description:
    "Then POST `multipart/form-data` to `upload.url`: each of `upload.fields`, and the file itself as `file`, which comes last. No " +
    "API key goes with it. 204 says that the file is there. It can be sent for 24 hours, as often as you like, by `file` of " +
    "`sendMedia` and `sendStatus`. It takes up to 100 MB; a byte more is 413, or 400 from Amazon S3, where that is the place.",
  request: {
    params: path,
    body: body(
      z.object({
        content_type: ContentType,
        filename: fileName.optional(),
        size: z
          .int()
          .min(1)
          .max(maxUploadBytes)
          .optional()
          .openapi({ description: "In bytes. A file of another size is then refused." }),
      }),
    ),
  },
  responses: { 200: reply("The form to send.", Upload), ...refusals("not_found", "storage_full") },
})
