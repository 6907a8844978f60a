import { setTimeout as sleep } from "node:timers/promises"

/** As long as a period of the quotas that containers have. */
const periodMs = 100

/**
 * From now on a process runs for this share of the time: it is stopped for the rest of each tenth of a
 * second, as a container is that has used up its quota.
 * @returns what ends that
 */
export function limitCpuShare(pid: number, share: number): () => Promise<void> {
  if (share === 1) return async () => {}
  let isOver = false
  const over = (async () => {
    while (!isOver) {
      process.kill(pid, "SIGSTOP")
      await sleep(periodMs * (1 - share))
      process.kill(pid, "SIGCONT")
      await sleep(periodMs * share)
    }
  })()
  return async () => {
    isOver = true
    await over
  }
}
