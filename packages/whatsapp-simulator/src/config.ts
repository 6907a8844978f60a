import { z } from "zod"

const aPort = "must be a whole number from 0 to 65535"
const port = z.coerce.number(aPort).int(aPort).min(0, aPort).max(65_535, aPort).default(0)

const Environment = z.object({
  /** Where clients connect; 0 is any free port. */
  SIMULATOR_PORT: port,
  /** Where clients connect under TLS, and where media is; 0 is any free port. */
  SIMULATOR_TLS_PORT: port,
  /** Where phones are steered; 0 is any free port. */
  SIMULATOR_CONTROL_PORT: port,
  /** Where the network is kept; in memory when not given. */
  SIMULATOR_DATA_DIR: z.string().min(1).optional(),
  /**
   * The path under which everything is that others on this machine must not reach; none where it is not
   * given.
   */
  SIMULATOR_SECRET: z.string().regex(/^\w+$/, "must be letters and digits").optional(),
})

export interface Config {
  port: number
  tlsPort: number
  controlPort: number
  dataDir: string | undefined
  secret: string | undefined
}

/** @throws ZodError that names what is wrong. */
export function fromEnvironment(environment: NodeJS.ProcessEnv): Config {
  const read = Environment.parse(environment)
  return {
    port: read.SIMULATOR_PORT,
    tlsPort: read.SIMULATOR_TLS_PORT,
    controlPort: read.SIMULATOR_CONTROL_PORT,
    dataDir: read.SIMULATOR_DATA_DIR,
    secret: read.SIMULATOR_SECRET,
  }
}
