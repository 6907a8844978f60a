import type { Household } from "../network/directory.ts"
import type { Network } from "../network/network.ts"
import { Phone } from "./phone.ts"

/** A new person with a phone that is on. @throws when the number is taken. */
export function createPhone(
  network: Network,
  input: { number?: string | undefined; name?: string | undefined; household?: Household },
): Phone {
  const number = input.number ?? network.directory.freeNumber()
  if (network.directory.user(number)) throw new NumberTaken(number)
  network.directory.addUser(number, input.name ?? `Phone ${number.slice(-4)}`, {
    ...(input.household && { household: input.household }),
  })
  return turnOn(network, number)
}

/** Turns on the phones of all people whom the store knows, but for crowds: the network has been restarted. */
export function turnOnAll(network: Network) {
  for (const { pn, crowd } of network.directory.users()) if (!crowd) turnOn(network, pn)
}

/** The number is taken. */
export class NumberTaken extends Error {
  override name = "NumberTaken"
  constructor(number: string) {
    super(`the number ${number} is taken`)
  }
}

function turnOn(network: Network, pn: string): Phone {
  const phone = new Phone(network, pn)
  network.phones.set(pn, phone)
  phone.start()
  return phone
}
