import type { Network } from "../network.ts"
import type { Line } from "./side.ts"

/** Links at once: each side makes hundreds of keys for each. */
const atOnce = 4
const settledWithinMs = 60_000

/**
 * Makes lines until there are so many.
 * @param link links a bridge with a phone, and resolves when it is on the network
 */
export async function linkLines(
  count: number,
  input: {
    side: string
    network: Network
    lines: Line[]
    link: (line: Omit<Line, "device">) => Promise<void>
    progress: (linked: number) => void
  },
): Promise<void> {
  const { network, lines, side } = input
  let next = lines.length
  async function work(): Promise<void> {
    while (next < count) {
      const ref = `b${++next}`
      const owner = await network.control.create(`Owner ${side} ${ref}`)
      const contact = await network.control.create(`Contact ${side} ${ref}`)
      const line = { ref, owner: owner.number, contact: contact.number, path: `/${side}/${ref}` }
      await input.link(line)
      const { devices } = await network.control.phone(line.owner)
      const device = `${line.owner}:${devices.find(({ id }) => id > 0)?.id}`
      if (!(await network.control.settled(device, settledWithinMs)))
        throw new Error(`${side} ${ref} has not read what it was told when it was linked`)
      lines.push({ ...line, device })
      input.progress(lines.length)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}
