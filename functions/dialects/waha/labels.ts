import { invalid } from "#core/error.ts"
import { at } from "../bridge.ts"
import { chatIdOf } from "./ids.ts"
import type { Its, Rows } from "./its.ts"

// Labels of WhatsApp Business, as WAHA's engine NOWEB gives them.

interface Label {
  id: string
  name: string
  color: number
}

/** WhatsApp's colours, in the order of their numbers, as its app for Android shows them. */
const colors = (
  "#ff9485 #64c4ff #ffd429 #dfaef0 #99b6c1 #55ccb3 #ff9dff #d3a91d #6d7cce #d7e752 " +
  "#00d0e2 #ffc5c7 #93ceac #f74848 #00a0f2 #83e422 #ffaf04 #b5ebff #9ba6ff #9368cf"
).split(" ")

const toLabel = ({ id, name, color }: Label) => ({ id, name, color, colorHex: colors[color] ?? "" })

/** The number of the colour that a label is to have. */
function colorIn({ given }: Its): number | undefined {
  const wanted = given.colorHex ?? given.color
  if (wanted === undefined || typeof wanted === "number") return wanted
  const found = colors.indexOf(wanted.toLowerCase())
  if (found >= 0) return found
  throw invalid([{ path: "colorHex", message: `one of ${colors.join(", ")}` }])
}

const all = "/api/:session/labels"
const labelsOf = async ({ proxy, chat }: Its) => await proxy.ask<Label[]>("GET", "labels", { chat })

export const labels: Rows = {
  [`GET ${all}`]: async ({ proxy }) => (await proxy.ask<Label[]>("GET", "labels")).map(toLabel),
  [`POST ${all}`]: async (its) => {
    const fields = { name: its.given.name, color: colorIn(its) }
    return toLabel(await its.proxy.ask<Label>("POST", "labels", fields))
  },
  [`GET ${all}/chats/:chatId`]: async (its) => (await labelsOf(its)).map(toLabel),
  // The chat has these labels then, and no others.
  [`PUT ${all}/chats/:chatId`]: async (its) => {
    const { proxy, chat, given } = its
    const before = new Set((await labelsOf(its)).map(({ id }) => id))
    const wanted = new Set((given.labels ?? []).map(({ id }) => id))
    for (const id of wanted.difference(before)) await proxy.ask("PUT", at`labels/${id}/chats/${chat}`)
    for (const id of before.difference(wanted)) await proxy.ask("DELETE", at`labels/${id}/chats/${chat}`)
    return { success: true }
  },
  [`PUT ${all}/:labelId`]: async (its) => {
    const fields = { name: its.given.name, color: colorIn(its) }
    return toLabel(await its.proxy.ask<Label>("PATCH", at`labels/${its.params.labelId!}`, fields))
  },
  [`DELETE ${all}/:labelId`]: ({ done, params }) => done("DELETE", at`labels/${params.labelId!}`),
  [`GET ${all}/:labelId/chats`]: async ({ proxy, params }) => {
    const its = await proxy.ask<{ chat_id: string; message_id?: string }[]>(
      "GET",
      at`labels/${params.labelId!}/chats`,
    )
    return its.flatMap(({ chat_id, message_id }) => (message_id ? [] : { id: chatIdOf(chat_id) }))
  },
}
