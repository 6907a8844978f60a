import { setTimeout as sleep } from "node:timers/promises"
import { z } from "zod"

const Phone = z.object({
  number: z.string(),
  devices: z.array(z.object({ id: z.number(), connected: z.boolean() })),
  not_decrypted: z.record(z.string(), z.number()),
})

const Read = z.object({
  n: z.number(),
  id: z.string(),
  from: z.string(),
  text: z.string(),
  times: z.number(),
})
export type Read = z.infer<typeof Read>

const Entry = z.object({
  n: z.number(),
  at: z.number(),
  kind: z.string(),
  who: z.string(),
  stanza: z.object({ tag: z.string(), attrs: z.record(z.string(), z.string()) }).optional(),
  event: z.string().optional(),
  detail: z.record(z.string(), z.unknown()).optional(),
})
export type Entry = z.infer<typeof Entry>

/** The simulated network, over its control API. */
export function phonesAt(url: string) {
  async function call<Answer>(
    schema: z.ZodType<Answer>,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Answer> {
    const answer = await fetch(`${url}${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`)
    return schema.parse(await answer.json())
  }

  return {
    create: (name: string) => call(Phone, "POST", "/phones", { name }),
    get: (number: string) => call(Phone, "GET", `/phones/${number}`),
    /** @returns false when nobody shows this code any more. */
    scan: async (number: string, png: ArrayBuffer) => {
      const headers = { "content-type": "image/png" }
      const answer = await fetch(`${url}/phones/${number}/scan`, { method: "POST", headers, body: png })
      await answer.text()
      return answer.ok
    },
    /** Resolves when the network has it. */
    send: (number: string, to: string, text: string) =>
      call(z.object({ id: z.string() }), "POST", `/phones/${number}/messages`, { to, text }),
    call: (number: string, to: string) =>
      call(z.object({ call_id: z.string() }), "POST", `/phones/${number}/calls`, { to }),
    /** All that a phone has read and sent, page after page. */
    async read(number: string): Promise<Read[]> {
      const all: Read[] = []
      for (;;) {
        const page = await call(
          z.array(Read),
          "GET",
          `/phones/${number}/messages?after=${all.at(-1)?.n ?? 0}`,
        )
        if (page.length === 0) return all
        all.push(...page)
      }
    },
    /** Whether everything that was queued for a device has been receipted. */
    settled: async (device: string, waitMs: number) => {
      const Settled = z.object({ settled: z.boolean() })
      return (await call(Settled, "GET", `/devices/${device}/settled?wait=${waitMs}`)).settled
    },
    fault: async (fault: { kind: string; device?: string; times?: number; ms?: number; code?: number }) => {
      await call(z.unknown(), "POST", "/faults", fault)
    },
    clearFaults: () => call(z.unknown(), "DELETE", "/faults"),
    cut: (device: string) => call(z.unknown(), "POST", `/connections/${device}/end`, { how: "cut" }),
    log: (after: number) => call(z.array(Entry), "GET", `/log?after=${after}`),
  }
}
export type Phones = ReturnType<typeof phonesAt>

/**
 * Reads the network's log as it grows: the network itself remembers only the newest entries.
 * @param take called with each entry, in order. A gap is an error of the run: `broken` rejects.
 */
export function followLog(phones: Phones, take: (entry: Entry) => void) {
  let stopping = false
  let last = 0
  const following = follow()

  async function follow(): Promise<void> {
    while (!stopping) {
      await readOn()
      await sleep(200)
    }
    await readOn()
  }

  async function readOn(): Promise<void> {
    for (const entry of await phones.log(last)) {
      if (entry.n !== last + 1) throw new Error(`the network's log was read too slowly: ${last + 1} is gone`)
      last = entry.n
      take(entry)
    }
  }

  return {
    broken: following,
    stop: async () => {
      stopping = true
      await following
    },
  }
}
