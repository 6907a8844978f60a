/**
 * `npm run neighbours -- [calls|contacts|chats|media|groups|crowd|link|unreadable|full]`: what one account
 * costs another at the same session host, in the tail of its latencies, or while its large phone is linked;
 * what its own large group costs it; and what a host that is full feels like. With `--take all`, an account
 * tries to take each thing that all accounts share.
 */

import { optionsFrom } from "../options.ts"
import { prepareFlood } from "./floods.ts"
import { fillHost } from "./full-host.ts"
import { linkLargeAccount } from "./link-large-account.ts"
import { ordinaryLife } from "./neighbour.ts"
import { Options } from "./options.ts"
import { sendToLargestGroup } from "./send-to-largest-group.ts"
import { oneKey, startStreet, type Street } from "./street.ts"
import { takeEach } from "./take.ts"
import { sendUnreadable } from "./unreadable.ts"

/**
 * While one account lists its contacts or chats, its neighbours' p99 stays under so many times the quiet one.
 */
const mostRatio = 2

/** What ten keys may do, and room that can be taken within seconds. */
const tenKeys = { RATE_LIMIT_PROXY: "1200", RATE_LIMIT_OTHER: "1200", STORAGE_ACCOUNT_MB: "1000" }

const options = optionsFrom(Options, process.argv.slice(2), "what")
const street = await startStreet(settingsFor(options))
try {
  const measured = await measure(street)
  console.log(JSON.stringify(options.json ? measured : { ...measured, options }))
  process.exitCode = measured.isWell ? 0 : 1
} finally {
  await street.stop()
}

function settingsFor({ take, what, neighbours }: Options): Record<string, string> {
  if (take) return tenKeys
  if (what === "full") return { HOST_CAPACITY: String(neighbours + 10) }
  return isLimited(what) ? oneKey : {}
}

function isLimited(what: Options["what"]): boolean {
  return !["chats", "link", "unreadable", "crowd"].includes(what)
}

async function measure(on: Street): Promise<{ isWell: boolean }> {
  if (options.take) return await takeEach(on, options)
  switch (options.what) {
    case "link":
      return await linkLargeAccount(on, options)
    case "full":
      return await fillHost(on, options)
    case "unreadable":
      return await sendUnreadable(on, options)
    case "crowd":
      return await sendToLargestGroup(on, options)
    case "calls":
    case "contacts":
    case "chats":
    case "media":
    case "groups":
      return await flood(on, options)
  }
}

async function flood(on: Street, { seconds, share }: Options) {
  const { neighbour, chat } = on
  const life = { chat, forMs: seconds * 1000, everyMs: 300 }
  const begin = await prepareFlood(on, options)
  const end = await on.slowDown(share)
  // Everything takes longer the first time.
  await ordinaryLife(neighbour, { ...life, forMs: 5000 })
  const quiet = await ordinaryLife(neighbour, life)
  const stop = begin()
  const noisy = await ordinaryLife(neighbour, life)
  const bully = await stop()
  await end()
  const ratio = Number((noisy.p99Ms / quiet.p99Ms).toFixed(2))
  // A flood of refused calls costs the others nothing; one of mere calls is a flood all the same.
  const isFlood = options.what === "calls" || (bully.statuses["200"] ?? 0) > 0
  const isFair = (options.what !== "contacts" && options.what !== "chats") || ratio < mostRatio
  return { isWell: noisy.failed.length === 0 && isFlood && isFair, quiet, noisy, p99_ratio: ratio, bully }
}
