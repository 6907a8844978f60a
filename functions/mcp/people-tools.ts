import { z } from "zod"
import { type Api, pathOf, refusalOf } from "../http/own-api.ts"
import { failed } from "./answer.ts"
import { after, chat, count, detail, number } from "./shared-fields.ts"
import { shortChat, shortGroup, shortPerson } from "./short.ts"
import { tool } from "./tool.ts"

const findPerson = tool({
  name: "find_person",
  description:
    "People whom the number knows, by part of a name or phone. A whole phone is also looked up on the network.",
  input: z.object({ number, search: z.string().min(2).max(100), detail }),
  isRead: true,
  run: async ({ search, ...input }, { api, numberOf, show }) => {
    const name = numberOf(input.number)
    const as = !input.detail && shortPerson
    const known = (await everyContact(api, name)).filter((contact) => has(contact, search)).slice(0, 20)
    const phone = search.replaceAll(/[\s()+-]/g, "")
    if (!/^\d{7,15}$/.test(phone)) return await show({ items: known, as })
    const looked = await api.call("GET", pathOf(name, "proxy", "contacts", phone)).catch(refusalOf)
    const isFound = typeof looked === "object" && looked !== null && "jid" in looked
    return await show(isFound ? { items: [looked, ...known], as } : { items: known, as, beside: { looked } })
  },
})

const listChats = tool({
  name: "list_chats",
  description: "The chats of a number that keeps messages, the latest first.",
  input: z.object({ number, limit: count(50), after, detail }),
  isRead: true,
  run: async ({ limit, after: from, ...input }, { api, numberOf, show }) => {
    const path = pathOf(numberOf(input.number), "proxy", "chats")
    const kept = await api.keptPage(path, { limit, after: from })
    if (!kept) return failed(keepsNothing)
    const { body, next } = kept
    return await show({ items: body as unknown[], as: !input.detail && shortChat, beside: { next } })
  },
})

const keepsNothing =
  "This number keeps no messages, so its chats are not listed. keep_messages switches that on, or a person in the dashboard. Until " +
  "then find_messages has the messages of the last days."

const listGroups = tool({
  name: "list_groups",
  description: "The groups that the number is in.",
  input: z.object({ number, limit: count(50), after, detail }),
  isRead: true,
  run: async ({ limit, after: from, ...input }, { api, numberOf, show }) => {
    const query = { limit, after: from }
    const path = pathOf(numberOf(input.number), "proxy", "groups")
    const items = (await api.call("GET", path, { query })) as { jid: string }[]
    const next = items.length === limit ? items.at(-1)?.jid : undefined
    return await show({ items, as: !input.detail && shortGroup, beside: { next } })
  },
})

/** As the contract says. */
interface Member {
  jid: string
  role: string
}

const listMembers = tool({
  name: "list_members",
  description: "A group and its members.",
  input: z.object({ number, group: chat, detail }),
  isRead: true,
  run: async ({ group, ...input }, { api, numberOf, show, isForChats }) => {
    const name = numberOf(input.number)
    const { members, ...about } = (await api.call("GET", pathOf(name, "proxy", "groups", group))) as {
      jid: string
      members: Member[]
    }
    if (input.detail) return await show({ items: [about, ...members] })
    // A key for some chats sees no contacts.
    const contacts = isForChats ? [] : await everyContact(api, name)
    const people = new Map(contacts.map((contact) => [contact.jid, contact]))
    const items = members.map(({ jid, role }) => ({ ...people.get(jid), jid, role }))
    return await show({
      items: [about, ...items],
      as: (item) => (item === about ? shortGroup : shortMember)(item),
    })
  },
})

function shortMember(item: unknown): unknown {
  const { role } = item as Member
  return { ...shortPerson(item), ...(role !== "member" && { role }) }
}

export const peopleTools = [findPerson, listChats, listGroups, listMembers]

/** All contacts of a number, 10,000 at most. */
async function everyContact(api: Api, name: string): Promise<{ jid: string }[]> {
  const limit = 1000
  const all: { jid: string }[] = []
  for (let page = 0; page < 10; page++) {
    const query = { limit, after: all.at(-1)?.jid }
    const found = (await api.call("GET", pathOf(name, "proxy", "contacts"), { query })) as { jid: string }[]
    all.push(...found)
    if (found.length < limit) break
  }
  return all
}

function has(contact: object, search: string): boolean {
  const sought = search.toLowerCase()
  return Object.values(contact).some(
    (value) => typeof value === "string" && value.toLowerCase().includes(sought),
  )
}
