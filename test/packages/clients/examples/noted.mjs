import { appendFileSync } from "node:fs"

const note = (line) => appendFileSync(process.env.NOTED, `${JSON.stringify(line)}\n`)

async function* noted(stream) {
  for await (const one of stream) {
    note({ given: one.event_id })
    yield one
    note({ done: one.event_id })
  }
}

const notedBridge = (shop) => ({
  ...shop,
  events: (options) => noted(shop.events(options)),
  messages: (options) => noted(shop.messages(options)),
})

const notedHandler = (handle) => async (event, about) => {
  note({ given: about.eventId })
  await handle(event, about)
  note({ done: about.eventId })
}

/**
 * The parts of an SDK that hand events to a program. They note in the file NOTED which events they hand out,
 * and which the program is done with.
 */
export function noting({ messagingBridge, webhooks }) {
  return {
    messagingBridge(settings) {
      const service = messagingBridge(settings)
      return { ...service, bridge: (ref) => notedBridge(service.bridge(ref)) }
    },
    webhooks: {
      ...webhooks,
      handler(handlers, settings) {
        const all = Object.entries(handlers).map(([type, handle]) => [type, notedHandler(handle)])
        return webhooks.handler(Object.fromEntries(all), settings)
      },
    },
  }
}
