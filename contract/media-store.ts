import { z } from "@hono/zod-openapi"
import { plainUrl, string, text } from "./field-types.ts"

/** Contract, "Your own S3". All of it is given at once. */
export const MediaStore = z
  .object({
    endpoint: text(1, 2048).optional().openapi({
      pattern: plainUrl,
      description: "An https URL without a path, as `webhook_url` at a public address; absent: Amazon's own.",
    }),
    bucket: z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, "not the name of a bucket"),
    region: z
      .string()
      .regex(/^[a-z0-9-]{1,40}$/, "not a region, such as eu-central-1")
      .default("us-east-1"),
    prefix: z
      .string()
      .regex(
        /^(?:[0-9A-Za-z_.=-]{1,64}\/){0,8}$/,
        "not folders, each with a `/` behind it, such as shop/media/",
      )
      .default("")
      .openapi({ description: 'What each key begins with, such as `shop/media/`; `""`: nothing.' }),
    link: z.enum(["presigned", "key"]).default("presigned").openapi({
      description: "`presigned`: events bring a `url` that is good for seven days. `key`: they bring none.",
    }),
    access_key_id: z.string().regex(/^[!-~]{1,128}$/, "not an access key"),
    secret_access_key: z
      .string()
      .regex(/^[!-~]{1,128}$/, "not a secret key")
      .refine((key) => key !== "***", "`***` stands for the key that is not shown: give the key")
      .openapi({ description: "Answers show `***`." }),
  })
  .openapi("MediaStore")
export type MediaStore = z.output<typeof MediaStore>

/** As answers show it. */
export const ShownMediaStore = MediaStore.extend({ secret_access_key: string("`***`.") }).openapi(
  "ShownMediaStore",
)

/** Where a file is, or will be, in the customer's bucket. */
export const StoredAs = z.object({
  bucket: z.string(),
  key: z.string(),
  url: z.string().optional().openapi({ description: "Of `link` `presigned`: good for seven days." }),
})
export type StoredAs = z.infer<typeof StoredAs>
