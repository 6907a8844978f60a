import { existsSync, writeFileSync } from "node:fs"
import { setPriority } from "node:os"
import { z } from "zod"
import { networkClient } from "#one-machine/network/client.ts"
import { customerOf } from "#test/support/service/service.ts"
import { prepareTaker, type Taken, takeNames } from "../takers.ts"

// The account that takes, apart from the process that measures its neighbour. It stands for another machine,
// so its own work gives way to the service's and the neighbour's. Its priority counts within its group of
// processes alone where Linux makes one of it (sched(7), autogroup): then that gives way, too.
const group = "/proc/self/autogroup"
setPriority(19)
if (existsSync(group)) writeFileSync(group, "19")

const Street = z.object({
  baseUrl: z.string(),
  phonesUrl: z.string(),
  owner: z.object({ id: z.string(), key: z.string(), name: z.string() }),
  chat: z.string(),
  eve: z.string(),
  dead: z.string(),
})
/** What to begin with; without it, what runs ends. */
const Said = z.object({ begin: z.enum(takeNames).optional() })

const { baseUrl, phonesUrl, owner, ...street } = Street.parse(JSON.parse(process.argv[2] ?? ""))
const network = networkClient({ controlUrl: phonesUrl })
const bully = customerOf({ ...owner, baseUrl, network })
const taker = await prepareTaker({ ...street, bully, service: { baseUrl, network } })
let end: ReturnType<typeof taker.begin> = async () => ({})

for (const signal of ["SIGTERM", "disconnect"] as const) process.once(signal, () => process.exit())
process.on("message", (said) => {
  void answer(Said.parse(said)).then((taken) => process.send?.(taken))
})
process.send?.("ready")

async function answer({ begin }: z.infer<typeof Said>): Promise<Taken> {
  if (!begin) return await end()
  end = taker.begin(begin)
  return {}
}
