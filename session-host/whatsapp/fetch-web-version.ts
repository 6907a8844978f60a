import { fetchLatestWaWebVersion, type WAVersion } from "@whiskeysockets/baileys"

/** How long the network's own site may take, ms. */
const withinMs = 10_000

/**
 * The current version of WhatsApp Web, from the network's own site.
 * @throws Error if the site does not say
 */
export async function fetchWebVersion(): Promise<WAVersion> {
  const { version, isLatest, error } = await fetchLatestWaWebVersion({
    signal: AbortSignal.timeout(withinMs),
  })
  if (!isLatest) throw new Error("the current version of WhatsApp Web is not known", { cause: error })
  return version
}
