import type { Contact } from "#contract/contact.ts"
import { invalid } from "#core/error.ts"
import { unless } from "../../http/own-api.ts"
import { at, pathOfPicture } from "../bridge.ts"
import { NotHere } from "../dialect.ts"
import type { Checks } from "../ours.ts"
import { contactIn, type Its, needed, type Rows } from "./its.ts"
import { part } from "./messages.ts"
import { chatOf, isUrl, jidOf } from "./names.ts"

// Contacts, and the instance's own profile.

const mostContacts = 10_000

function toContact({ jid, full_name, name, business_name }: Contact, instanceId: string) {
  const pushName = full_name || name || business_name
  const about = { isGroup: false, isSaved: full_name !== "", type: "contact" }
  return { id: jid, remoteJid: jid, pushName, profilePicUrl: null, instanceId, ...about }
}

async function findContacts({ proxy, given, instance }: Its) {
  const named = given.where?.remoteJid ?? given.where?.id
  const contacts = await proxy.allByJid<Contact>("contacts", 1000, mostContacts)
  const wanted = contacts.filter(({ jid }) => !named || jid === jidOf(named))
  return part(wanted, given).map((contact) => toContact(contact, instance))
}

/** A picture as an address that shows it without a key; null where there is none, or it is hidden. */
async function pictureOf({ proxy }: Its, jid: string): Promise<string | null> {
  const file = await unless("not_found", proxy.file(pathOfPicture(jid), { maxBytes: 1_000_000 }))
  return file?.bytes ? `data:${file.type};base64,${file.bytes.toString("base64")}` : null
}

function phoneOf(number: string): string | undefined {
  return /^(\d{7,15})(?:@s\.whatsapp\.net)?$/.exec(chatOf(number))?.[1]
}

async function checkNumbers({ proxy, given }: Its) {
  const numbers = needed(given.numbers, "numbers")
  const phones = numbers.flatMap((number) => phoneOf(number) ?? [])
  const checks: Checks = []
  for (let from = 0; from < phones.length; from += 100) {
    const some = { phones: phones.slice(from, from + 100) }
    checks.push(...(await proxy.ask<Checks>("POST", "contacts/check", some)))
  }
  return numbers.map((number) => {
    const check = phoneOf(number) === undefined ? undefined : checks.shift()
    // The network is not asked for a group, or somebody's private id.
    const exists = check?.is_on_whatsapp ?? /@(?:lid|g\.us)$/.test(number)
    return { jid: check?.jid || jidOf(number), exists, number, name: check?.verified_name || null }
  })
}

/** The contact that is meant: the session's own account, if none is named. */
async function contactOf({ proxy, given: { number } }: Its): Promise<Contact> {
  const own = number || (await proxy.ask<Contact>("GET", "profile")).jid
  return await proxy.ask<Contact>("GET", contactIn(own))
}

async function fetchProfile(its: Its) {
  const contact = await contactOf(its)
  const { jid: wuid, about: status, is_business: isBusiness, business_email: email } = contact
  const about = { name: contact.full_name || contact.name, numberExists: contact.registered }
  return { wuid, ...about, picture: await pictureOf(its, wuid), status, isBusiness, email }
}

async function fetchBusinessProfile(its: Its) {
  const { jid, registered: exists, phone: number, ...contact } = await contactOf(its)
  if (!contact.is_business)
    return { isBusiness: false, message: "Not is business profile", jid, exists, number }
  const { business_address: address, business_email: email, business_name: name } = contact
  return { isBusiness: true, wid: jid, name, address, email, description: "", website: [] }
}

/** A picture that our API fetches. */
export function newPicture(picture: string | undefined, field: string): { url: string } {
  const url = needed(picture, field)
  if (isUrl(url)) return { url }
  throw new NotHere("a picture of a profile or a group is taken from a URL: give one")
}

const update =
  (method: "PUT" | "PATCH" | "DELETE", path: string, to: (its: Its) => object = () => ({})) =>
  async (its: Its) => {
    await its.proxy.ask(method, `profile/${path}`, to(its))
    return { update: "success" }
  }

/** What Evolution calls the settings of our `privacy`; `read_receipts` is a flag there. */
const privacyNames = {
  profile: "profile_picture",
  status: "about",
  online: "online",
  last: "last_seen",
  groupadd: "groups",
  calladd: "calls",
  messages: "messages",
} as const

type Privacy = Record<(typeof privacyNames)[keyof typeof privacyNames], string> & { read_receipts: boolean }

const toPrivacy = (privacy: Privacy) => ({
  readreceipts: privacy.read_receipts ? "all" : "none",
  ...Object.fromEntries(Object.entries(privacyNames).map(([theirs, ours]) => [theirs, privacy[ours]])),
})

async function updatePrivacy({ proxy, given }: Its) {
  const names = Object.entries(privacyNames) as [keyof typeof privacyNames, string][]
  const wanted = Object.fromEntries(names.map(([theirs, ours]) => [ours, given[theirs]]))
  const { readreceipts } = given
  const receipts = readreceipts === undefined ? {} : { read_receipts: readreceipts !== "none" }
  return {
    update: "success",
    data: toPrivacy(await proxy.ask("PATCH", "privacy", { ...wanted, ...receipts })),
  }
}

/** Puts a label on a chat, or takes it off. */
async function label({ proxy, given: { number = "", labelId = "", action } }: Its) {
  if (action !== "add" && action !== "remove") throw invalid([{ path: "action", message: "add or remove" }])
  const numberJid = jidOf(number)
  await proxy.ask(action === "add" ? "PUT" : "DELETE", at`labels/${labelId}/chats/${numberJid}`)
  return { numberJid, labelId, [action]: true }
}

async function findLabels({ proxy }: Its) {
  const labels = await proxy.ask<{ id: string; name: string; color: number }[]>("GET", "labels")
  return labels.map(({ id, name, color }) => ({ id, name, color: String(color), predefinedId: "" }))
}

async function block({ proxy, given: { number, status } }: Its) {
  if (status !== "block" && status !== "unblock")
    throw invalid([{ path: "status", message: "block or unblock" }])
  await proxy.ask(status === "block" ? "PUT" : "DELETE", `${contactIn(number)}/block`)
  return { block: "success" }
}

export const people: Rows = {
  "POST /chat/findContacts/:instance": findContacts,
  "POST /chat/whatsappNumbers/:instance": checkNumbers,
  // This path, and the second one to block, are none of Evolution's: a client has them.
  "POST /chat/checkIsWhatsappNumber/:instance": checkNumbers,
  "POST /chat/fetchProfile/:instance": fetchProfile,
  "POST /chat/fetchBusinessProfile/:instance": fetchBusinessProfile,
  "POST /chat/fetchProfilePictureUrl/:instance": async (its) => {
    const wuid = its.given.number ? jidOf(its.given.number) : (await contactOf(its)).jid
    return { wuid, profilePictureUrl: await pictureOf(its, wuid) }
  },
  "POST /chat/updateProfileName/:instance": update("PATCH", "name", ({ given: { name } }) => ({ name })),
  "GET /chat/fetchPrivacySettings/:instance": async ({ proxy }) =>
    toPrivacy(await proxy.ask("GET", "privacy")),
  "GET /label/findLabels/:instance": findLabels,
  "POST /label/handleLabel/:instance": label,
  "POST /chat/updateProfileStatus/:instance": update("PATCH", "status", ({ given: { status } }) => ({
    status,
  })),
  "POST /chat/updateProfilePicture/:instance": update("PUT", "avatar", (its) =>
    newPicture(its.given.picture, "picture"),
  ),
  "DELETE /chat/removeProfilePicture/:instance": update("DELETE", "avatar"),
}

export const blockingAndPrivacy: Rows = {
  "POST /chat/updatePrivacySettings/:instance": updatePrivacy,
  "POST /chat/updateBlockStatus/:instance": block,
  "POST /message/updateBlockStatus/:instance": block,
}
