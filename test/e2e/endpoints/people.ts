import sharp from "sharp"
import { expect } from "vitest"
import { aFileServer } from "#test/support/file-server.ts"
import { until } from "#test/support/until.ts"
import type { CasesOf } from "./cases.ts"
import { ada, bakery, face, grace, group, hal, jpeg, seen, whole } from "./stage.ts"

const business = {
  is_business: true,
  verified_name: "Bakery",
  business_name: "Bakery",
  business_email: "bakery@example.org",
  business_address: "Mill Lane 1",
  redacted_phone: expect.stringMatching(/\d.*∙/) as unknown,
}

export const people: CasesOf<"Contacts" | "Profile" | "Presence"> = {
  listContacts: async (ask) => {
    const contact = { number: ada.number, full_name: "Ada Lovelace", first_name: "Ada" }
    await whole.network.call("POST", `/phones/${grace.number}/contacts`, contact)
    await until(async () => JSON.stringify((await ask()).json).includes("Ada Lovelace"))
    await whole.write(bakery, grace.number, { text: "open" })
    await until(async () => JSON.stringify((await ask()).json).includes(bakery.jid))
    // Both say more about the baker than a message does.
    for (const path of [`contacts/${bakery.number}`, `groups/${group}`])
      await whole.call("GET", `/api/instances/shop/proxy/${path}`)
    const baker = ((await ask()).json as { jid: string }[]).find(({ jid }) => jid === bakery.jid)
    expect(baker).toMatchObject(business)
    await whole.network.change(hal.number, { username: "hal.1" })
    await whole.write(hal, grace.number, { text: "nobody knows my number" })
    await until(async () => JSON.stringify((await ask()).json).includes("hal.1"))
    await whole.network.change(ada.number, { about: "at sea" })
    await whole.call("GET", `/api/instances/shop/proxy/contacts/${ada.number}`)
    const [first] = (await ask({ with: { limit: 1 } })).json as { jid: string }[]
    const rest = (await ask({ with: { limit: 1000, after: first!.jid } })).json as { jid: string }[]
    expect(rest.map(({ jid }) => jid)).not.toContain(first!.jid)
    const everybody = (await ask()).json as { jid: string }[]
    expect(everybody.map(({ jid }) => jid)).toEqual([first!, ...rest].map(({ jid }) => jid).toSorted())
  },
  checkContacts: async (ask) => {
    const phones = [ada.number, "4915100000000", bakery.number]
    expect((await ask({ body: { phones } })).json).toMatchObject([
      { phone: ada.number, jid: ada.jid, is_on_whatsapp: true, registered: true },
      { phone: "4915100000000", jid: "", is_on_whatsapp: false, registered: false },
      { phone: bakery.number, is_business: true, verified_name: "Bakery", registered: true },
    ])
  },
  listBlocked: async (ask) => {
    await whole.call("PUT", `/api/instances/shop/proxy/contacts/${bakery.number}/block`)
    expect((await ask()).json).toEqual([{ jid: bakery.jid, phone: bakery.number }])
    await whole.call("DELETE", `/api/instances/shop/proxy/contacts/${bakery.number}/block`)
    expect((await ask()).json).toEqual([])
  },
  blockContact: async (ask) => {
    await ask({ with: { jid: bakery.jid } })
    const blocklist = await whole.call("GET", "/api/instances/shop/proxy/contacts/blocked")
    expect(await blocklist.json()).toHaveLength(1)
  },
  unblockContact: async (ask) => {
    await ask({ with: { jid: bakery.number } })
    const blocklist = await whole.call("GET", "/api/instances/shop/proxy/contacts/blocked")
    expect(await blocklist.json()).toEqual([])
  },
  getContact: async (ask) => {
    const { json } = await ask({ with: { jid: ada.number } })
    expect(json).toMatchObject({
      jid: ada.jid,
      phone: ada.number,
      full_name: "Ada Lovelace",
      about: "at sea",
    })
    expect((await ask({ with: { jid: bakery.jid } })).json).toMatchObject(business)
    const named = { jid: hal.lid, phone: "", username: "hal.1" }
    expect((await ask({ with: { jid: "@hal.1" } })).json).toMatchObject(named)
  },
  saveContact: async (ask) => {
    const names = { full_name: "Hal Nine", first_name: "Hal" }
    expect((await ask({ with: { jid: hal.lid }, body: names })).json).toMatchObject({
      jid: hal.lid,
      ...names,
    })
    const book = await whole.network.call("GET", `/phones/${grace.number}/app-state/critical_unblock_low`)
    expect(JSON.stringify(book)).toContain("Hal Nine")
    const adas = { full_name: "Ada Lovelace", first_name: "Ada" }
    expect((await ask({ with: { jid: ada.number }, body: adas })).json).toMatchObject({ about: "at sea" })
    const bakers = { full_name: "The Baker" }
    expect((await ask({ with: { jid: bakery.jid }, body: bakers })).json).toMatchObject(business)
  },
  forgetContact: async (ask) => {
    for (const { jid } of [{ jid: hal.lid }, bakery]) await ask({ with: { jid } })
    const book = await whole.network.call("GET", `/phones/${grace.number}/app-state/critical_unblock_low`)
    expect(JSON.stringify(book)).not.toContain("Hal Nine")
  },
  contactAvatar: async (ask) => {
    await whole.network.change(ada.number, { picture: jpeg.toString("base64") })
    expect((await ask({ with: { jid: ada.jid } })).bytes.equals(jpeg)).toBe(true)
  },

  getProfile: async (ask) => {
    await whole.network.change(grace.number, { about: "open" })
    const { number: phone, jid } = grace
    expect((await ask()).json).toEqual({ about: "open", jid, name: "Grace", phone })
  },
  setAbout: async (ask) => {
    await ask({ body: { status: "closed" } })
    const profile = await whole.call("GET", "/api/instances/shop/proxy/profile")
    expect(await profile.json()).toMatchObject({ about: "closed" })
  },
  setName: async (ask) => {
    const path = `/phones/${grace.number}`
    for (const name of ["Grace H.", "Grace"]) {
      await ask({ body: { name } })
      expect(await whole.network.call("GET", path)).toMatchObject({ name })
    }
  },
  ownAvatar: async (ask) => {
    await whole.network.change(grace.number, { picture: jpeg.toString("base64") })
    expect((await ask()).bytes.equals(jpeg)).toBe(true)
  },
  setAvatar: async (ask) => {
    const { url } = await aFileServer({ "/me.jpg": { type: "image/jpeg", body: face } })
    const { json } = await ask({ body: { url: `${url}/me.jpg` } })
    expect(json).toEqual({ picture_id: expect.stringMatching(/./) as unknown })
    const shown = await whole.call("GET", "/api/instances/shop/proxy/profile/avatar")
    expect(await sharp(await shown.arrayBuffer()).metadata()).toMatchObject({ format: "jpeg", width: 64 })
  },
  removeAvatar: async (ask) => {
    await ask()
    expect((await whole.call("GET", "/api/instances/shop/proxy/profile/avatar")).status).toBe(404)
  },
  profileQr: async (ask) => {
    expect((await ask()).json).toEqual({
      link: expect.stringMatching(/^https:\/\/wa\.me\/qr\/\w+$/) as unknown,
    })
  },
  statusPrivacy: async (ask) => {
    expect((await ask()).json).toEqual([{ is_default: true, list: [], type: "contacts" }])
    await whole.network.change(grace.number, { status_hidden_from: [ada.number] })
    expect((await ask()).json).toEqual([
      { is_default: false, list: [], type: "contacts" },
      { is_default: true, list: [ada.jid], type: "blacklist" },
    ])
  },

  getPrivacy: async (ask) => {
    expect((await ask()).json).toMatchObject({ last_seen: "all", read_receipts: true, disappearing: 0 })
    await whole.call("PATCH", "/api/instances/shop/proxy/privacy", { disappearing: 604_800 })
    expect((await ask()).json).toMatchObject({ disappearing: 604_800 })
  },
  updatePrivacy: async (ask) => {
    for (const [about, disappearing] of [
      ["contacts", 86_400],
      ["all", 0],
    ] as const)
      expect((await ask({ body: { about, disappearing } })).json).toMatchObject({ about, disappearing })
  },

  setPresence: async (ask) => {
    await ask({ body: { state: "available" } })
    expect(await seen("presence", { type: "available" })).not.toHaveLength(0)
  },
  subscribePresence: async (ask) => {
    await ask({ body: { chat: ada.number } })
    await whole.network.change(ada.number, { available: true })
    await whole.webhook.event("shop", "presence", ({ unavailable }) => !unavailable)
  },
}
