import { constants } from "node:os"

/**
 * Resolves at the first SIGINT or SIGTERM. Another one changes nothing, since npm passes on what the terminal
 * has sent already: each Ctrl-C comes twice. Only after `patienceMs` does one more end this process at once.
 */
export async function askedToStop({ patienceMs }: { patienceMs: number }): Promise<void> {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
  let askedMs: number | undefined
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => {
      askedMs ??= performance.now()
      if (performance.now() - askedMs >= patienceMs) process.exit(128 + constants.signals[signal])
      ask()
    })
  await asked
}
