import type { Household } from "../network/directory.ts"
import type { Network } from "../network/network.ts"
import { autoReplyAs } from "./auto-reply.ts"
import * as Phones from "./create-phone.ts"
import type { Phone } from "./phone.ts"
import { saveContact } from "./settings/address-book.ts"

/** The names of a sandbox's people, by what they do. */
const names: Record<Household["role"], string> = { owner: "Sandbox", echo: "Echo", voter: "Voter" }

/** Lets households live: they scan the codes of their bridges, and answer what is written to them. */
export function startAll(network: Network) {
  for (const { pn, household } of network.directory.users()) {
    const phone = network.phones.get(pn)
    if (phone && household) autoReplyAs(phone, household.role)
  }
  network.showCode = (name, qr) => {
    scan(network, name, qr).catch((error: unknown) =>
      network.log.note("sandbox", "code not scanned", { household: name, error: String(error) }),
    )
  }
}

/**
 * The phone of a household links the companion that shows this code, and unlinks all others: those belong to
 * a bridge that was deleted.
 */
async function scan(network: Network, name: string, qr: string): Promise<void> {
  const owner = await atHome(network, name)
  for (const { id } of network.directory.devices(owner.pn)) owner.remove(id)
  await owner.scan(qr)
}

/**
 * The owner's phone, with both others in its address book. Members of the household who are missing move in.
 */
async function atHome(network: Network, name: string): Promise<Phone> {
  const members = membersOf(network, name)
  const member = (role: Household["role"]) => members.get(role) ?? moveIn(network, { name, role })
  const [owner, ...others] = [member("owner"), member("echo"), member("voter")]
  for (const { user } of others)
    await owner.use((handset) => saveContact(handset, { number: user.pn, fullName: user.name }))
  return owner
}

function membersOf(network: Network, name: string): Map<Household["role"], Phone> {
  const found = network.directory.users().filter(({ household }) => household?.name === name)
  return new Map(
    found.flatMap(({ pn, household }) => {
      const phone = network.phones.get(pn)
      return phone && household ? [[household.role, phone] as const] : []
    }),
  )
}

function moveIn(network: Network, household: Household): Phone {
  const phone = Phones.createPhone(network, { name: names[household.role], household })
  autoReplyAs(phone, household.role)
  return phone
}
