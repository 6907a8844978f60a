import { z } from "zod"
import { type Api, nameOf, pathOf, refusalOf } from "../http/own-api.ts"
import { failed, fromService } from "./answer.ts"
import { after, detail, number } from "./shared-fields.ts"
import { inDetail, shortNumber } from "./short.ts"
import { tool } from "./tool.ts"
import { hashOf } from "./yes.ts"

/** So many numbers are looked at, each by a call of its own. Of further ones only the names are listed. */
const lookedAt = 20
/** So many names are in an answer. */
const named = 500

const listNumbers = tool({
  name: "list_numbers",
  description: "The account's numbers: name (the `number` of other tools), phone, how each stands.",
  input: z.object({ after }),
  isRead: true,
  run: async (input, { api }) => {
    const query = { limit: named, after: input.after }
    const { body, next } = await api.page("GET", "/api/instances", { query })
    const all = body as { customer_ref: string }[] // as the contract says
    const numbers = all
      .slice(0, lookedAt)
      .map(async ({ customer_ref }) => shortNumber(await about(api, customer_ref)))
    const others = all.slice(lookedAt).map(({ customer_ref }) => ({ number: customer_ref }))
    const more = next === undefined ? [] : [{ next }]
    return fromService([...(await Promise.all(numbers)), ...others, ...more])
  },
})

const numberStatus = tool({
  name: "number_status",
  description: "How a number stands, why, and what to do.",
  input: z.object({ number, detail }),
  isRead: true,
  run: async (input, { api, numberOf }) => {
    const name = numberOf(input.number)
    const bridge = await about(api, name)
    if (!input.detail) return fromService(shortNumber(bridge))
    const session = await api.call("GET", pathOf(name, "proxy", "status")).catch(refusalOf)
    return fromService(inDetail({ bridge, session }))
  },
})

const keepMessages = tool({
  name: "keep_messages",
  description:
    "Has a number keep its messages for so many days: then chats are listed, and read further back. Asks a person.",
  input: z.object({ number, days: z.literal([7, 30, 90]) }),
  isRead: false,
  run: async ({ days, ...input }, { api, numberOf, ask, yes, isForChats }) => {
    const name = await nameOf(api, numberOf(input.number))
    const wish = hashOf([name, "keep", days])
    const said = yes.to(wish)
    if (said === false) return failed("The person said no: nothing was changed. Do not try it again.")
    // The API refuses it to a key for some chats, whatever a person says.
    if (said === undefined && ask !== "never" && !isForChats) {
      const question = `Have ${name} keep its messages for ${days} days? Whoever has a key for it can then read them. Older ones are hidden.`
      return yes.canAsk ? await yes.ask(question, { wish, idempotencyKey: wish }) : failed(nobodyToAsk)
    }
    await api.call("PATCH", pathOf(name), { body: { keep: days } })
    return fromService({ number: name, keeps_messages_for_days: days })
  },
})

const nobodyToAsk =
  "Nothing was changed: a person has to say yes first, and your program cannot ask one. A person can switch it on in the dashboard, in " +
  "the number's settings. Do not try it again."

export const numberTools = [listNumbers, numberStatus, keepMessages]

/** Whoever misleads an agent could send events of their own with the secret and the address. */
async function about(api: Api, name: string): Promise<object> {
  const bridge = (await api.call("GET", pathOf(name))) as object
  return { ...bridge, webhook_secret: undefined, webhook_url: undefined }
}
