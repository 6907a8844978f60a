import { listenerOf, wholeApp } from "#one-machine/api/whole-app.ts"

/** The whole API and the dashboard: without billing, unless a test of billing has plugged it in. */
export let app = wholeApp()

/** The app behind Node's server. */
export const listener: ReturnType<typeof listenerOf> = (...asked) => listenerOf(app)(...asked)

/** Has the customers and visitors of this process use another app. */
export function useApp(given: typeof app): void {
  app = given
}
