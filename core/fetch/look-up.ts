import { Resolver } from "node:dns/promises"
import { readFile } from "node:fs/promises"
import { config } from "../platform/config.ts"
import { Slots } from "../platform/slots.ts"
import { FetchError } from "./fetch-error.ts"

/**
 * c-ares asks each server twice, and waits for 2 s, then for 4. `getaddrinfo` would occupy one of the four
 * threads of this process, for as long as the machine's settings say: a few names that no server answers for
 * would hold up all others.
 */
const limits = { timeout: 2000, tries: 2 }
/**
 * Look-ups of one share at a time; others wait. Name servers limit how many questions one machine may ask.
 */
const mostAtOnce = 4

const slots = new Slots({ most: Infinity, each: mostAtOnce })

/**
 * The addresses of a name, IPv4 first, as this machine's hosts file or its name servers say (`DNS_SERVERS`).
 * Names are asked for as they stand: search domains do not apply.
 * @param share whose look-up this is: it waits for others of this share alone
 * @param signal ends the look-up
 * @throws FetchError `dns`
 */
export async function addressesOf(name: string, share: string, signal: AbortSignal): Promise<string[]> {
  const known = await inHostsFile(name)
  if (known.length > 0) return known
  return await slots.use(async () => {
    signal.throwIfAborted()
    return await asked(name, signal)
  }, share)
}

async function asked(name: string, signal: AbortSignal): Promise<string[]> {
  // Of its own, so that nothing else is cancelled with it.
  const resolver = new Resolver(limits)
  if (config.DNS_SERVERS.length > 0) resolver.setServers(config.DNS_SERVERS)
  const cancel = () => resolver.cancel()
  signal.addEventListener("abort", cancel, { once: true })
  try {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []))
    const failed = answers.find((answer) => answer.status === "rejected")
    if (found.length === 0) throw new FetchError("dns", failed?.reason)
    return found
  } finally {
    signal.removeEventListener("abort", cancel)
  }
}

/** Read each time, as `getaddrinfo` does: the operator may change it. */
async function inHostsFile(name: string): Promise<string[]> {
  const wanted = name.toLowerCase().replace(/\.$/, "")
  const text = await readFile("/etc/hosts", "utf8").catch(() => "") // there need not be one
  return text.split("\n").flatMap((line) => {
    const [address, ...names] = line.replace(/#.*/, "").trim().split(/\s+/)
    return address && names.some((one) => one.toLowerCase() === wanted) ? [address] : []
  })
}
