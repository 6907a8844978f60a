import { z } from "@hono/zod-openapi"

const base64url = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[0-9A-Za-z_-]+$/, "must be base64url, without padding")

/** The page on which an assertion has to be made: the network takes one of no other origin. */
export const passkeyOrigin = "https://web.whatsapp.com"

/**
 * What the network asks of a browser: the options of `navigator.credentials.get`, as JSON (WebAuthn, 5.10).
 */
export const PasskeyOptions = z
  .looseObject({
    challenge: base64url(1024),
    rpId: z.string().max(255).optional(),
    timeout: z.number().min(0).optional().openapi({ description: "Milliseconds." }),
    allowCredentials: z
      .array(z.looseObject({ id: base64url(2048), type: z.string() }))
      .max(64)
      .optional(),
    userVerification: z.string().max(64).optional(),
  })
  .openapi("PasskeyOptions")
export type PasskeyOptions = z.infer<typeof PasskeyOptions>

/**
 * A browser's answer: `PublicKeyCredential.toJSON()`. The members that the network does not read are dropped.
 */
export const PasskeyAssertion = z
  .object({
    id: base64url(2048),
    rawId: base64url(2048),
    type: z.literal("public-key"),
    response: z.object({
      clientDataJSON: base64url(8192),
      authenticatorData: base64url(8192),
      signature: base64url(2048),
      userHandle: base64url(256).nullish(),
    }),
  })
  .openapi("PasskeyAssertion")
export type PasskeyAssertion = z.infer<typeof PasskeyAssertion>
