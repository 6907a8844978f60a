import { constants } from "node:os"

/** How long a stop may take before one more signal ends the process at once, in ms. */
const patienceMs = 10_000

/**
 * Resolves at the first SIGINT or SIGTERM. Another one changes nothing, since npm passes on what the terminal has sent
 * already: each Ctrl-C comes twice. Ten seconds after the first, one more ends this process at once.
 */
export async function askedToStop(): Promise<void> {
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
