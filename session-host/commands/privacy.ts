import type { z } from "@hono/zod-openapi"
import * as contract from "#contract/profile.ts"
import { wholeNumber } from "../content/mapped.ts"
import { askUsync } from "../network/ask-about-people.ts"
import { inSteps } from "../network/in-steps.ts"
import { child, childrenOf, el, type Stanza } from "../network/stanza.ts"
import type { ConnectedSession } from "../session/connected-session.ts"
import { command } from "./command.ts"

type Privacy = z.output<(typeof contract.getPrivacy.responses)[200]["content"]["application/json"]["schema"]>

/** What the network calls the settings. */
const categories = {
  last_seen: "last",
  online: "online",
  profile_picture: "profile",
  about: "status",
  read_receipts: "readreceipts",
  groups: "groupadd",
  calls: "calladd",
  messages: "messages",
} as const

export const privacy = {
  getPrivacy: command(contract.getPrivacy, ({ session }) =>
    session.use((connected) => askForPrivacy(connected)),
  ),

  updatePrivacy: command(contract.updatePrivacy, ({ session, body }) =>
    session.use(async (connected) => {
      const { connection } = connected
      const { disappearing, read_receipts: receipts, ...shown } = body
      const set = (xmlns: string, stanza: Stanza) =>
        connection.ask({ xmlns, type: "set", children: [stanza] })
      const values = { ...shown, ...(receipts !== undefined && { read_receipts: receipts ? "all" : "none" }) }
      const steps = Object.entries(values).map(([field, value]) => {
        const name = categories[field as keyof typeof values] // as the contract has them
        return { field, run: () => set("privacy", el("privacy", {}, [el("category", { name, value })])) }
      })
      const duration = String(disappearing)
      const run = () => set("disappearing_mode", el("disappearing_mode", { duration }))
      await inSteps([...steps, ...(disappearing === undefined ? [] : [{ field: "disappearing", run }])])
      return await askForPrivacy(connected)
    }),
  ),
}

/** The account's privacy settings, and the timer of its new chats. @throws NetworkRejected, NoAnswer */
async function askForPrivacy({ connection, own }: ConnectedSession): Promise<Privacy> {
  const answer = await connection.ask({ xmlns: "privacy", type: "get", children: [el("privacy")] })
  const set = childrenOf(child(answer, "privacy"), "category")
  const valueOf = (field: keyof typeof categories) =>
    set.find(({ attrs }) => attrs.name === categories[field])?.attrs.value ?? ""
  const about = [el("disappearing_mode")]
  const [me] = await askUsync(connection, { about, users: [el("user", { jid: own.jid })] })
  return {
    last_seen: valueOf("last_seen"),
    online: valueOf("online"),
    profile_picture: valueOf("profile_picture"),
    about: valueOf("about"),
    read_receipts: valueOf("read_receipts") !== "none",
    groups: valueOf("groups"),
    calls: valueOf("calls"),
    messages: valueOf("messages"),
    disappearing: wholeNumber(child(me, "disappearing_mode")?.attrs.duration),
  }
}
