import { z } from "zod"
import { hostSocket } from "#core/platform/local-socket.ts"

/** ECS answers from within the machine. */
const withinMs = 5000

/** The parts used of ECS's description of a container (task metadata endpoint, version 4). */
const Container = z.object({
  Networks: z.array(z.object({ IPv4Addresses: z.array(z.ipv4()).default([]) })).default([]),
})

interface Settings {
  SOCKET_DIR?: string | undefined
  HOST_ADDRESS?: string | undefined
  HOST_BIND?: string | undefined
  ECS_CONTAINER_METADATA_URI_V4?: string | undefined
}

/**
 * The address at which a host is reached, and the one it listens on: the same, unless the settings say
 * otherwise. On one machine it is a Unix socket: a port of a host that has died could be taken by another
 * user of the machine, who would then read what is sent.
 * @throws Error if ECS does not give an address
 */
export async function findAddresses(settings: Settings): Promise<{ reached: string; bind: string }> {
  const { HOST_BIND: bind } = settings
  const reached = settings.HOST_ADDRESS ?? (await ownAddress(settings))
  return { reached, bind: bind ?? reached }
}

async function ownAddress({
  SOCKET_DIR,
  ECS_CONTAINER_METADATA_URI_V4: metadata,
}: Settings): Promise<string> {
  if (SOCKET_DIR) return hostSocket(process.pid)
  return metadata ? await addressOfTask(metadata) : "127.0.0.1"
}

async function addressOfTask(metadata: string): Promise<string> {
  const answer = await fetch(metadata, { signal: AbortSignal.timeout(withinMs) })
  const { Networks } = Container.parse(await answer.json())
  const address = Networks.flatMap(({ IPv4Addresses }) => IPv4Addresses)[0]
  if (!address) throw new Error("ECS names no address of this task")
  return address
}
