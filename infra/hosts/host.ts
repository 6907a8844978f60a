import { operator } from "../stage/settings.ts"
import { hostPolicy } from "./rights.ts"
import { hostTask } from "./task.ts"

export const hostCapacity = operator.hostSessions
/** Of a few bridges: hosts have less memory, and so has the sweep, whose memory is most of its price. */
export const isSmall = hostCapacity <= 20

/** The sweep starts and stops hosts one by one: an ECS service would choose by itself which to stop. */
export const host = hostTask("SessionHost", {
  // The sweep names it when it starts a task.
  container: "session-host",
  dockerfile: "session-host/Dockerfile",
  // Fifty sessions at rest need a fiftieth of this (docs/measurements.md, "Bench"); a burst of offline
  // messages all of it.
  cpu: "0.25 vCPU",
  // 140 MB for the process, 5 MB a session in use, and a picture of 25 megapixels being decoded.
  memory: isSmall ? "0.5 GB" : hostCapacity > 50 ? "2 GB" : "1 GB",
  policy: hostPolicy,
  environment: { HOST_CAPACITY: String(hostCapacity), HOST_NETWORK: "live" },
})
