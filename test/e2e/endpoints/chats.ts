import { expect } from "vitest"
import { until as eventually } from "#test/support/until.ts"
import type { CasesOf } from "./cases.ts"
import { ada, adaWrites, arrived, grace, whole } from "./stage.ts"

const shop = "/api/instances/shop"

/** What the phone has in a collection of its settings, as JSON. */
const settingsOf = async (collection: string) =>
  JSON.stringify(await whole.network.call("GET", `/phones/${grace.number}/app-state/${collection}`))

export const chats: CasesOf<"Chats" | "Labels"> = {
  listChats: async (ask) => {
    expect((await whole.call("GET", `${shop}/proxy/chats`)).status).toBe(409)
    await whole.call("PATCH", shop, { keep: 7 })
    await whole.call("PUT", `${shop}/proxy/chats/${ada.number}/handover`)
    await arrived(await adaWrites({ text: "unread" }))
    const until = Math.floor(Date.now() / 1000) + 3600
    await whole.network.call("POST", `/phones/${grace.number}/app-state/regular_high`, {
      index: ["mute", ada.jid],
      value: { muteAction: { muted: true, muteEndTimestamp: until * 1000 } },
      version: 2,
    })
    const muted = { muted: true, muted_until: until, archived: false, pinned: false }
    const [chat] = await eventually(async () => {
      const { json } = await ask({ with: { limit: 1 } })
      const chats = json as { muted: boolean }[]
      return chats[0]?.muted && chats
    })
    expect(chat).toMatchObject({ ...muted, chat_id: ada.jid, name: "Ada", unread: 1 })
  },
  updateChat: async (ask) => {
    const settings = `/phones/${grace.number}/app-state/regular_low`
    const { json } = await ask({ with: { chat: ada.number }, body: { pinned: true, muted: false } })
    expect(json).toMatchObject({ chat_id: ada.jid, name: "Ada", pinned: true, muted: false })
    expect(JSON.stringify(await whole.network.call("GET", settings))).toContain('"pinned":true')
    const muted_until = Math.floor(Date.now() / 1000) + 3600
    const muted = await ask({ with: { chat: ada.number }, body: { muted: true, muted_until } })
    expect(muted.json).toMatchObject({ muted: true, muted_until })
    await adaWrites({ text: "still unread" })
    await eventually(async () => {
      const { json: pinned } = await ask({ with: { chat: ada.number }, body: { pinned: true } })
      return (pinned as { unread: number }).unread > 0
    })
  },
  clearChat: async (ask) => {
    await ask({ with: { chat: ada.number } })
    expect(await settingsOf("regular_high")).toContain('"clearChat"')
    const kept = await whole.call("GET", `${shop}/proxy/chats/${ada.number}/messages`)
    expect(await kept.json()).toEqual([])
  },
  deleteChat: async (ask) => {
    await ask({ with: { chat: ada.number } })
    expect(await settingsOf("regular_high")).toContain('"deleteChat"')
    const left = await whole.call("GET", `${shop}/proxy/chats`)
    expect(JSON.stringify(await left.json())).not.toContain(ada.jid)
    // The network counts seconds: a message of the same one would be removed, too.
    const second = Math.floor(Date.now() / 1000)
    await eventually(() => Date.now() / 1000 >= second + 1)
  },
  getChatTimer: async (ask) => {
    expect((await ask({ with: { chat: ada.number } })).json).toEqual({ chat_id: ada.jid, disappearing: 0 })
    await whole.call("PUT", `${shop}/proxy/chats/${ada.number}/disappearing`, { seconds: 86_400 })
    expect((await ask({ with: { chat: ada.number } })).json).toMatchObject({ disappearing: 86_400 })
  },
  setChatTimer: async (ask) => {
    for (const seconds of [604_800, 0])
      expect((await ask({ with: { chat: ada.number }, body: { seconds } })).json).toMatchObject({
        disappearing: seconds,
      })
  },
  listMessages: async (ask) => {
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
  searchMessages: async (ask) => {
    const asked = await adaWrites({ text: "Où est le gâteau ?" })
    await arrived(asked)
    await whole.call("POST", `${shop}/proxy/send/text`, {
      chat: ada.number,
      body: "The GATEAU is ready",
      quoted_message_id: asked,
      mentions: [ada.number],
    })
    const { json, headers } = await ask({ with: { words: "gateau", limit: 1 } })
    expect(json).toMatchObject([
      { body: "The GATEAU is ready", from_me: true, quoted: { message_id: asked } },
    ])
    const after = headers.get("x-next-after")!
    const next = await ask({ with: { words: "gateau", chat: ada.number } })
    expect(next.json).toMatchObject([{}, { message_id: asked, contact_id: ada.jid }])
    const rest = await ask({ with: { words: "gateau", after } })
    expect(rest.json).toMatchObject([{ message_id: asked }])
  },
  askForOlder: async (ask) => {
    const { json } = await ask({ with: { chat: ada.number }, body: { count: 1 } })
    expect(json).toMatchObject({ state: "came" })
  },
  setHandover: async (ask) => {
    const { json } = await ask({ with: { chat: ada.number }, body: { seconds: 60 } })
    expect(json).toMatchObject({ chat_id: ada.jid })
    const { handover } = await arrived(await adaWrites({ text: "to a person" }))
    expect(handover).toBe(true)
  },
  listHandovers: async (ask) => {
    const { json } = await ask({ with: { chat: ada.number } })
    expect(json).toMatchObject([{ chat_id: ada.jid }])
    await whole.call("PUT", `${shop}/proxy/chats/${ada.number}/handover`, { seconds: 0 })
  },

  listLabels: async (ask) => {
    await whole.network.change(grace.number, { business: { name: "Grace's" } })
    await whole.network.call("POST", `/phones/${grace.number}/app-state/regular`, {
      index: ["label_edit", "1"],
      value: { labelEditAction: { name: "New order", color: 1 } },
      version: 3,
    })
    expect((await ask()).json).toEqual([{ id: "1", name: "New order", color: 1 }])
    expect((await ask({ with: { chat: ada.number } })).json).toEqual([])
  },
  createLabel: async (ask) => {
    const { json } = await ask({ body: { name: "Waits", color: 4 } })
    expect(json).toEqual({ id: "2", name: "Waits", color: 4 })
  },
  updateLabel: async (ask) => {
    const { json } = await ask({ with: { id: "2" }, body: { name: "Has waited" } })
    expect(json).toEqual({ id: "2", name: "Has waited", color: 4 })
  },
  removeLabel: async (ask) => {
    await ask({ with: { id: "2" } })
    expect(await settingsOf("regular")).toContain('"deleted":true')
  },
  listLabelled: async (ask) => {
    const id = await adaWrites({ text: "to be labelled" })
    await arrived(id)
    const path = `${shop}/proxy/labels/1/chats/${ada.number}`
    for (const one of [path, `${path}?message_id=${id}`]) await whole.call("PUT", one)
    expect((await ask({ with: { id: "1" } })).json).toEqual([
      { chat_id: ada.jid },
      { chat_id: ada.jid, message_id: id },
    ])
  },
  labelChat: async (ask) => {
    await ask({ with: { id: "1", chat: ada.number } })
    expect(await settingsOf("regular")).toContain('"labeled":true')
  },
  unlabelChat: async (ask) => {
    await ask({ with: { id: "1", chat: ada.number } })
    expect(await settingsOf("regular")).toContain('"labeled":false')
    await whole.network.change(grace.number, { business: null })
  },
}
