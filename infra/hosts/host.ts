import { hostPolicy } from "./rights.ts"
import { hostTask } from "./task.ts"

/** Sessions of a host. 1 gives each bridge a task of its own, at fifty times the price. */
export const hostCapacity = 50

/** Started and stopped by the sweep, one by one: an ECS service would choose itself whom to stop. */
export const host = hostTask("SessionHost", {
  // The sweep names it when it starts a task.
  container: "session-host",
  dockerfile: "session-host/Dockerfile",
  // Fifty sessions at rest need a fiftieth of this (docs/measurements.md, "Bench"); a burst of offline messages all of it.
  cpu: "0.25 vCPU",
  // 140 MB for the process, 5 MB a session in use, and a picture of 25 megapixels being decoded.
  memory: "1 GB",
  policy: hostPolicy,
  environment: { HOST_CAPACITY: String(hostCapacity), HOST_NETWORK: "live" },
})
