import "#test/support/store.ts"
import { randomBytes } from "node:crypto"
import { findOrOpenAccount } from "#core/account/account-at-sign-in.ts"
import { Account } from "#core/account/account.ts"
import { Member } from "#core/account/member.ts"
import { SignIn } from "#core/account/sign-in.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { aVisitor } from "#test/support/service/visitor.ts"

export const anEmail = () => `${randomBytes(6).toString("hex")}@example.com`

/** A person who is signed in to an account of their own, with a number. */
export async function aPerson(role?: Member.Role, address?: string) {
  const email = anEmail()
  const { accountId, person } = await findOrOpenAccount(email)
  await Account.setSubscription(accountId, "active")
  const { bridge } = await Bridge.create({ accountId, customerRef: "shop" })
  if (role) {
    await Member.add(accountId, (await findOrOpenAccount(anEmail())).person, "owner")
    await Member.add(accountId, person, role)
  }
  const visitor = aVisitor(address)
  await visitor.post(`/sign-in/link/${await SignIn.newLinkToPrint(email)}`)
  return { ...visitor, email, accountId, person, bridge }
}

export const nobody = {
  about: "",
  business_address: "",
  business_email: "",
  business_name: "",
  first_name: "",
  full_name: "",
  is_business: false,
  jid: "",
  redacted_phone: "",
  registered: true,
  username: "",
  verified_name: "",
}

export const pages = [
  "",
  "/connect",
  "/link-page",
  "/chats",
  "/groups",
  "/planned",
  "/events",
  "/deliveries",
  "/webhooks",
  "/log",
  "/settings",
  "/webhooks/first/secret",
]

export const streams = [
  "/stream",
  "/connect/stream",
  "/chats/stream",
  "/events/stream",
  "/deliveries/stream",
  "/log/stream",
]

export const acts = [
  "/connect",
  "/restart",
  "/link-page/end",
  "/chats/keep",
  "/chats/491711234567/answer",
  "/chats/491711234567/handover",
  "/deliveries/test",
  "/deliveries/resend",
  "/webhooks/first/address",
]

export const dangers = [
  "/settings/events",
  "/settings/unlink",
  "/settings/delete",
  "/webhooks/first/secret/roll",
]

export const ends = ["/webhooks/first/secret/finish", "/settings/pause", "/settings/wake"]

/** The first bytes of a stream, which is then closed. */
export async function firstOf(answer: Response): Promise<string> {
  const reader = answer.body!.getReader()
  const { value } = await reader.read()
  await reader.cancel()
  return Buffer.from(value ?? []).toString()
}

/** The events that a page's stream shows until there are this many; then it is cut. */
export async function shownBy(answer: Response, count: number): Promise<{ ids: string[]; said: string }> {
  const reader = answer.body!.getReader()
  let said = ""
  const ids = () => [...said.matchAll(/^id: (.+)$/gm)].map(([, id]) => id!)
  while (ids().length < count) {
    const { value, done } = await reader.read()
    if (done) break
    said += Buffer.from(value).toString()
  }
  await reader.cancel()
  return { ids: ids(), said }
}
