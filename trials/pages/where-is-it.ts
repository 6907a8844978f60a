import type { Event } from "#contract/event.ts"
import { configure } from "#core/platform/config.ts"
import type { Stage } from "./scene.ts"

const count = 100_000
/** How many rows are made before they are written. */
const together = 5000
/** How many people write, and of how many words. */
const [people, vocabulary] = [5000, 20_000]

/**
 * Gives a number a hundred thousand messages, in the store itself, and looks for the oldest ones. The rows of
 * their words are made as the delivery makes them.
 * @returns seconds until the page is there that was looked for, the worst of five; and the same once more
 * while no words are in rows, when the page says how far it has looked
 */
export async function whereIsIt({ service, base, page }: Stage, bridgeId: string) {
  // The store's address is read when it is asked first.
  configure({ ...process.env, ...service.environment })
  const [{ Bridge }, { EventIndex }, { EventRow }, { batchWrite }] = await Promise.all([
    import("#core/bridge/bridge.ts"),
    import("#core/event/event-index.ts"),
    import("#core/event/event-row.ts"),
    import("#core/store/store.ts"),
  ])
  const bridge = (await Bridge.byId(bridgeId))!
  const deliveryKey = await Bridge.deliveryKeyOf(bridge)
  const row = (n: number) => {
    const identity = ["message", String(n)]
    const { Put } = EventRow.appending({ bridgeId, n, identity, event: message(n), deliveryKey })
    return { table: Put!.TableName, row: Put!.Item }
  }
  for (let from = 1; from <= count; from += together)
    await batchWrite(Array.from({ length: together }, (_, i) => row(from + i)))

  const ref = bridge.customerRef
  const where_is_it_cold_s = await opened("words of 3", "Look further back")
  await EventIndex.complete(bridgeId, async () => deliveryKey, { after: 0, to: count })
  const seconds = [
    await opened(nameOf(3), words(3)),
    await opened(`+${phone(3).slice(0, 5)} ${phone(3).slice(5)}`, words(3)),
    await opened(words(3).slice(0, 40), "From the network to your program", words(3)),
    await opened(messageId(3), "From the network to your program"),
    await opened(EventRow.idOf(bridgeId, 3, ["message", "3"]), "From the network to your program"),
  ]
  return { where_is_it_s: Math.max(...seconds), where_is_it_cold_s }

  /** Types into the field, and waits until this is to be read; a link to it is followed. */
  async function opened(typed: string, ...read: string[]): Promise<number> {
    await page.goto(`${base}/numbers/${ref}/events?type=connected`)
    await page.locator("#where").fill(typed)
    const start = performance.now()
    await page.keyboard.press("Enter")
    const isRead = `${JSON.stringify(read)}.some((text) => document.body.textContent.includes(text))`
    await page.waitForFunction(isRead, { polling: 20, timeout: 60_000 })
    return Math.round((performance.now() - start) / 10) / 100
  }
}

function phone(n: number): string {
  return `4915${String(100_000_000 + (n % people))}`
}

function nameOf(n: number): string {
  return `Person ${phone(n).slice(-4)}`
}

function messageId(n: number): string {
  return `3A${n.toString(16).padStart(18, "0").toUpperCase()}`
}

/** A dozen words that hardly another message has. */
function words(n: number): string {
  return Array.from(
    { length: 12 },
    (_, i) => `w${((n * 7919 + i * 104_729) % vocabulary).toString(36)}`,
  ).join(" ")
}

function message(n: number): Event {
  const jid = `${phone(n)}@s.whatsapp.net`
  return {
    event: "message",
    message_id: messageId(n),
    contact_id: jid,
    chat_id: jid,
    phone: phone(n),
    name: nameOf(n),
    body: words(n),
    type: "text",
    media_type: "",
    is_group: false,
    from_me: false,
    timestamp: Math.floor(Date.now() / 1000) - count + n,
  }
}
