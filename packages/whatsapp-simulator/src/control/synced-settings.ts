import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { proto } from "@whiskeysockets/baileys"
import type { Network } from "../network/network.ts"
import { devicesOf } from "../network/notify.ts"
import { sendPeerMessage } from "../phone/outgoing-messages.ts"
import { saveContact } from "../phone/settings/address-book.ts"
import { keyShare, newAppStateKey } from "../phone/settings/keys.ts"
import { changeSetting, settings } from "../phone/settings/settings.ts"
import { route } from "./http/route.ts"
import { phoneOf } from "./phones.ts"
import * as Schema from "./schemas.ts"

/** An account's address book and other settings, as its devices share them. */
export function routeSyncedSettings(app: OpenAPIHono, network: Network) {
  route(
    app,
    {
      method: "post",
      path: "/phones/{number}/contacts",
      summary: "Put somebody into the phone's address book",
      body: Schema.NewContact,
      answer: z.object({}),
      status: 201,
    },
    async ({ params, body }) => {
      const { number, full_name: fullName, first_name: firstName } = body
      const phone = phoneOf(network, params.number)
      await phone.use((handset) => saveContact(handset, { number, fullName, firstName }))
      return {}
    },
  )
  route(
    app,
    {
      method: "post",
      path: "/phones/{number}/app-state/{collection}",
      summary: "Change any setting of the account",
      body: Schema.NewSetting,
      answer: z.object({}),
      status: 201,
    },
    async ({ params, body }) => {
      const collection = Schema.CollectionName.parse(params.collection)
      const value = proto.SyncActionValue.fromObject(body.value)
      await phoneOf(network, params.number).use((handset) =>
        changeSetting(handset, collection, { ...body, value }),
      )
      return {}
    },
  )
  route(
    app,
    {
      method: "post",
      path: "/phones/{number}/app-state-key",
      summary:
        "Encrypt settings with a new key from now on, and tell it to the account's devices, or wait until they ask",
      body: z.object({ told: z.boolean().default(true) }),
      answer: z.object({}),
      status: 201,
    },
    async ({ params, body }) => {
      await changeKey(network, phoneOf(network, params.number), body.told)
      return {}
    },
  )
  route(
    app,
    {
      method: "get",
      path: "/phones/{number}/app-state/{collection}",
      summary: "The account's settings in a collection, whichever device made them",
      answer: z.array(Schema.Setting),
    },
    ({ params }) => {
      const collection = Schema.CollectionName.parse(params.collection)
      return phoneOf(network, params.number).use((handset) => settings(handset, collection))
    },
  )
}

async function changeKey(network: Network, phone: ReturnType<typeof phoneOf>, isTold: boolean) {
  await phone.use(async (handset) => {
    newAppStateKey(handset.keys)
    handset.keys.commit()
    if (isTold)
      for (const device of devicesOf(network, phone.pn, handset.own))
        await sendPeerMessage(handset, device, keyShare(handset.keys))
  })
}
