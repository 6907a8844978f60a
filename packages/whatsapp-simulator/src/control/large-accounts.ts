import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { addCrowd } from "../network/crowd.ts"
import type { Network } from "../network/network.ts"
import { seedChats } from "../phone/seed-chats.ts"
import { saveContacts } from "../phone/settings/address-book.ts"
import { route } from "./http/route.ts"
import { phoneOf } from "./phones.ts"
import * as Schema from "./schemas.ts"
import { userOf } from "./target.ts"

/** Large accounts: many people around them, a long address book, years of chats. */
export function routeLargeAccounts(app: OpenAPIHono, network: Network) {
  route(
    app,
    {
      method: "post",
      path: "/crowds",
      summary: "People on the network whom nobody plays: they take what is sent to them, and never answer",
      body: Schema.NewCrowd,
      answer: z.object({ numbers: z.array(z.string()) }),
      status: 201,
    },
    ({ body }) => ({ numbers: addCrowd(network, body).map(({ pn }) => pn) }),
  )
  route(
    app,
    {
      method: "post",
      path: "/phones/{number}/address-book",
      summary: "Put many people into the phone's address book at once, in patches of a thousand",
      body: Schema.AddressBook,
      answer: z.object({}),
      status: 201,
    },
    async ({ params, body }) => {
      const people = body.people.map(({ number, full_name, first_name }) => {
        return { number, fullName: full_name, firstName: first_name }
      })
      await phoneOf(network, params.number).use((handset) => saveContacts(handset, people))
      return {}
    },
  )
  route(
    app,
    {
      method: "post",
      path: "/phones/{number}/chats",
      summary: "The phone has written with these people before: what a new companion is told as history",
      body: Schema.OldChats,
      answer: z.object({}),
      status: 201,
    },
    async ({ params, body }) => {
      const people = body.people.map((number) => userOf(network, number))
      await phoneOf(network, params.number).use(async (handset) => seedChats(handset, people, body.messages))
      return {}
    },
  )
}
