import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { origin, rpId } from "../devices/passkey.ts"
import type { Network } from "../network/network.ts"
import { assertion } from "../phone/passkey.ts"
import { ControlError } from "./http/errors.ts"
import { route } from "./http/route.ts"
import { until } from "./http/wait.ts"
import { phoneOf } from "./phones.ts"
import * as Schema from "./schemas.ts"

/** Accounts that link companions only with a passkey. */
export function routePasskeys(app: OpenAPIHono, network: Network) {
  route(
    app,
    {
      method: "post",
      path: "/phones/{number}/passkey",
      summary: "Make a passkey for an account: its companions are linked only with it from now on",
      answer: Schema.Passkey,
      status: 201,
    },
    ({ params }) => wire(phoneOf(network, params.number).givePasskey()),
  )
  route(
    app,
    {
      method: "delete",
      path: "/phones/{number}/passkey",
      summary: "Remove it: companions are linked without",
      answer: z.object({}),
    },
    ({ params }) => {
      network.profiles.change(phoneOf(network, params.number).pn, { passkey: undefined })
      return {}
    },
  )
  route(
    app,
    {
      method: "get",
      path: "/phones/{number}/passkey",
      summary: "How far the last link with the passkey is; waits for a stage",
      query: Schema.AwaitPasskeyLink,
      answer: Schema.PasskeyLink,
    },
    async ({ params, query, signal }) => {
      const phone = phoneOf(network, params.number)
      await until({
        read: () => (phone.passkeyLink?.stage === query.stage ? [true] : []),
        enough: 1,
        waitMs: query.wait,
        listen: (again) => network.log.listen(again),
        signal,
      })
      return phone.passkeyLink ?? { stage: "none" as const }
    },
  )
  route(
    app,
    {
      method: "post",
      path: "/phones/{number}/passkey/assertions",
      summary: "Sign a challenge with the passkey, as a browser does for the person",
      body: Schema.Challenge,
      answer: z.unknown(),
      status: 201,
    },
    ({ params, body }) => {
      const passkey = phoneOf(network, params.number).handset.keys.get("passkey", "")
      if (!passkey) throw new ControlError(404, "no_passkey", "this account has no passkey")
      return assertion(passkey, body.challenge, body.origin)
    },
  )
}

function wire({ id, privateKey, userHandle }: ReturnType<ReturnType<typeof phoneOf>["givePasskey"]>) {
  return {
    credential_id: id.toString("base64url"),
    rp_id: rpId,
    origin,
    private_key: privateKey.toString("base64"),
    user_handle: userHandle.toString("base64url"),
    sign_count: 0,
  }
}
