import { LinkSession } from "#core/bridge/link-session.ts"
import { createLinkSession } from "#core/contract/link-session.ts"
import { originOf } from "../http/address.ts"
import { router } from "../http/router.ts"

/** Pages on which somebody links a phone, without an account. */
export const linkSessions = router().openapi(createLinkSession, async (c) => {
  const { expected_phone: expectedPhone, return_url: returnUrl } = c.req.valid("json")
  const { token, expiresAt } = await LinkSession.create(c.var.bridge, { expectedPhone, returnUrl })
  // The pages are where the API is.
  return c.json({ url: `${originOf(c)}/link/${token}`, expires_at: expiresAt }, 201)
})
