import { expect } from "vitest"
import type { CasesOf } from "./cases.ts"
import { ada, adaWrites, arrived, whole } from "./stage.ts"

export const chats: CasesOf<"Chats"> = {
  listMessages: async (ask) => {
    const shop = "/api/instances/shop"
    expect((await whole.call("GET", `${shop}/proxy/chats/${ada.number}/messages`)).status).toBe(409)
    await whole.call("PATCH", shop, { keep: 7 })
    const question = await adaWrites({ text: "kept?" })
    await arrived(question)
    await whole.call("POST", `${shop}/proxy/send/text`, {
      chat: ada.number,
      body: "yes",
      quoted_message_id: question,
      mentions: [ada.number],
    })
    const { json, headers } = await ask({ with: { chat: ada.number, limit: 1 } })
    expect(json).toMatchObject([{ body: "yes", from_me: true, quoted: { message_id: question } }])
    const after = headers.get("x-next-after")!
    const next = await ask({ with: { chat: ada.number, after, limit: 1 } })
    expect(next.json).toMatchObject([{ message_id: question, body: "kept?", contact_id: ada.jid }])
  },
}
