import { Bell } from "#core/event/doorbell.ts"
import { Commits } from "#session-host/memory/commits.ts"
import { SessionIntake } from "#session-host/receive/intake.ts"

/** Takes one rule out of the memory of a session host's sessions. */
export function breakMemory(broken: string | undefined): void {
  if (broken === "gate") withoutGate()
  if (broken === "seen") SessionIntake.prototype.isSeen = async () => false
  if (broken === "bell") Bell.prototype.ringAnew = () => {}
}

/** As if all that was made was durable at once. */
function withoutGate(): void {
  Object.defineProperty(Commits.prototype, "kept", {
    get(this: Commits) {
      return this.made
    },
  })
}
